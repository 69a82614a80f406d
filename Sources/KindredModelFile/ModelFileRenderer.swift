import KindredAssociations
import OrderedCollections

/// Writes an inferred model down as a model file that changes nothing: a start for one that does.
///
///     resources:
///       albums:
///         table: Album
///         associations:
///           artist: { belongsTo: artists, foreignKey: { ArtistId: ArtistId } }
public struct ModelFileRenderer {
  /// A renderer for models as they are inferred: what a model file can add, such as an order, is not written.
  public init() {}

  /// The text of the file, with the model's warnings as comments.
  public func text(of model: Model) -> String {
    var lines = model.warnings.map { "# \(comment($0))" }
    lines.append(model.resources.isEmpty ? "resources: {}" : "resources:")
    for resource in model.resources.values {
      lines.append("  \(scalar(resource.name)):")
      lines.append("    table: \(scalar(resource.table.name))")
      guard !resource.associations.isEmpty else { continue }
      lines.append("    associations:")
      for association in resource.associations.values {
        guard let definition = definition(of: association, resource, in: model) else { continue }
        lines.append("      \(scalar(association.key)): { \(definition) }")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The members of an association; nil for a chain that is not made of two others.
  private func definition(of association: Association, _ resource: Resource, in model: Model) -> String? {
    let destination = scalar(association.destination)
    guard association.steps.count == 1, let step = association.steps.first else {
      let kind = association.cardinality == .toOne ? "hasOne" : "hasMany"
      return through(association, resource, in: model).map {
        "\(kind): \(destination), through: \(scalar($0.through)), using: \(scalar($0.using))"
      }
    }
    // From the table that holds the foreign key to the one that it refers to.
    let (columns, referred) =
      step.direction == .belongsTo
      ? (step.originColumns, step.destinationColumns) : (step.destinationColumns, step.originColumns)
    let pairs = zip(columns, referred).map { "\(scalar($0)): \(scalar($1))" }
    return "\(association.kind): \(destination), foreignKey: { \(pairs.joined(separator: ", ")) }"
  }

  /// The two associations whose steps make those of another.
  private func through(
    _ association: Association, _ resource: Resource, in model: Model
  ) -> (through: String, using: String)? {
    for pivot in resource.associations.values
    where pivot.steps.count < association.steps.count
      && association.steps.starts(with: pivot.steps, by: { $0.leads(as: $1) })
    {
      let rest = association.steps.dropFirst(pivot.steps.count)
      let target = model.resources[pivot.destination]?.associations.values.first {
        $0.steps.elementsEqual(rest, by: { $0.leads(as: $1) })
      }
      if let target { return (pivot.key, target.key) }
    }
    return nil
  }

  // MARK: YAML

  /// A text as a scalar that YAML reads as that text: without quotes only where it is a plain word.
  private func scalar(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
      default: false
      }
    }
    if isWord, let first = text.utf8.first, !(0x30...0x39).contains(first),
      !Self.meaningfulWords.contains(text.lowercased())
    {
      return text
    }
    return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  /// The words that some reader of YAML takes for something else than a text (<https://yaml.org/type/bool.html>).
  private static let meaningfulWords: Set<String> = [
    "null", "true", "false", "yes", "no", "on", "off", "y", "n",
  ]

  /// A character of a scalar in double quotes (<https://yaml.org/spec/1.2.2/#57-escaped-characters>).
  private func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\": return "\\\(scalar)"
    case _ where isPrintable(scalar): return String(scalar)
    default:
      let digits = String(scalar.value, radix: 16)
      return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
  }

  private func comment(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : " " }))
  }

  private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
