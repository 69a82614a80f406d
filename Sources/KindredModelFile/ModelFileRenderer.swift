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
    var lines = model.warnings.map { "# \(YAMLText.comment($0))" }
    lines.append(model.resources.isEmpty ? "resources: {}" : "resources:")
    for resource in model.resources.values {
      lines.append("  \(YAMLText.scalar(resource.name)):")
      lines.append("    table: \(YAMLText.scalar(resource.table.name))")
      let isOfView = resource.table.plainView != nil && !resource.table.primaryKey.isEmpty
      if isOfView || resource.table.isKeyChosen {
        let key = resource.table.primaryKey.map { YAMLText.scalar(resource.table.columns[$0].name) }
        lines.append("    key: [\(key.joined(separator: ", "))]")
      }
      guard !resource.associations.isEmpty else { continue }
      lines.append("    associations:")
      for association in resource.associations.values {
        guard let definition = definition(of: association, resource, in: model) else { continue }
        lines.append("      \(YAMLText.scalar(association.key)): { \(definition) }")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the members of an association; nil for a chain that isn't composed of two other associations.
  private func definition(of association: Association, _ resource: Resource, in model: Model) -> String? {
    let destination = YAMLText.scalar(association.destination)
    guard association.steps.count == 1, let step = association.steps.first else {
      let kind = association.cardinality == .toOne ? "hasOne" : "hasMany"
      return through(association, resource, in: model).map {
        "\(kind): \(destination), through: \(YAMLText.scalar($0.through)), using: \(YAMLText.scalar($0.using))"
      }
    }
    // A model file names the columns from the table that holds the foreign key to the one that it refers to.
    let (columns, referred) =
      step.direction == .belongsTo
      ? (step.originColumns, step.destinationColumns) : (step.destinationColumns, step.originColumns)
    let pairs = zip(columns, referred).map { "\(YAMLText.scalar($0)): \(YAMLText.scalar($1))" }
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
}
