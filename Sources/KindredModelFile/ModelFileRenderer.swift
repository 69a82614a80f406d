import KindredModel
import OrderedCollections

/// Writes an inferred model as a model file that changes nothing, as a starting point for editing.
///
///     resources:
///       albums:
///         table: Album
///         associations:
///           artist: { belongsTo: artists, foreignKey: { ArtistId: ArtistId } }
public struct ModelFileRenderer {
  /// Creates a renderer for inferred models; additions of a model file, such as an order, are not written.
  public init() {}

  /// Returns the text of the file, with the model's warnings as comments.
  public func text(of model: Model) -> String {
    var lines = model.warnings.map { "# \(comment($0))" }
    lines.append(model.resources.isEmpty ? "resources: {}" : "resources:")
    for resource in model.resources.values {
      lines.append("  \(scalar(resource.name)):")
      lines.append("    table: \(scalar(resource.table.name))")
      if resource.table.plainView != nil, !resource.table.primaryKey.isEmpty {
        let key = resource.table.primaryKey.map { scalar(resource.table.columns[$0].name) }
        lines.append("    key: [\(key.joined(separator: ", "))]")
      }
      guard !resource.associations.isEmpty else { continue }
      lines.append("    associations:")
      for association in resource.associations.values {
        guard let definition = definition(of: association, resource, in: model) else { continue }
        lines.append("      \(scalar(association.key)): { \(definition) }")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the members of an association; nil for a chain that isn't composed of two other associations.
  private func definition(of association: Association, _ resource: Resource, in model: Model) -> String? {
    let destination = scalar(association.destination)
    guard association.steps.count == 1, let step = association.steps.first else {
      let kind = association.cardinality == .toOne ? "hasOne" : "hasMany"
      return through(association, resource, in: model).map {
        "\(kind): \(destination), through: \(scalar($0.through)), using: \(scalar($0.using))"
      }
    }
    // A model file names the columns from the table that holds the foreign key to the one that it refers to.
    let (columns, referred) =
      step.direction == .belongsTo
      ? (step.originColumns, step.destinationColumns) : (step.destinationColumns, step.originColumns)
    let pairs = zip(columns, referred).map { "\(scalar($0)): \(scalar($1))" }
    return "\(association.kind): \(destination), foreignKey: { \(pairs.joined(separator: ", ")) }"
  }

  /// Returns two associations whose steps together are those of `association`.
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

  /// Returns a text as a YAML scalar, without quotes only if it is a plain word.
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

  /// The words that some YAML parsers don't read as texts (<https://yaml.org/type/bool.html>).
  private static let meaningfulWords: Set<String> = [
    "null", "true", "false", "yes", "no", "on", "off", "y", "n",
  ]

  /// Returns a character of a double-quoted scalar (<https://yaml.org/spec/1.2.2/#57-escaped-characters>).
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
