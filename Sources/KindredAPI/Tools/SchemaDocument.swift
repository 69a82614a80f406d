import KindredAssociations
import KindredSQLSyntax
import OrderedCollections

/// `/-/schema`: what editors, clients and the explorer need to know of the model (§14 of the contract).
struct SchemaDocument {
  let model: Model
  let limits: RequestLimits
  /// The columns that can be seen, by table.
  private let visible: [String: Set<String>]

  init(model: Model, limits: RequestLimits) {
    self.model = model
    self.limits = limits
    visible = Dictionary(
      model.resources.values.map { ($0.table.name, Set($0.columns.map(\.name))) },
      uniquingKeysWith: { $0.union($1) })
  }

  var json: JSONValue {
    ["resources": .array(model.resources.values.map(json)), "limits": limitsJSON]
  }

  private var limitsJSON: JSONValue {
    func number(_ value: Int64?) -> JSONValue { value.map(JSONValue.integer) ?? .null }
    return [
      "pageSize": number(limits.pageSize), "maximumPageSize": number(limits.maximumPageSize),
      "treeDepth": .integer(Int64(limits.treeDepth)), "nodes": .integer(Int64(limits.nodes)),
      "expressionDepth": .integer(Int64(limits.expressionDepth)),
    ]
  }

  private func json(_ resource: Resource) -> JSONValue {
    let key = resource.table.primaryKey.map { resource.table.columns[$0].name }
    return [
      "name": .string(resource.name), "table": .string(resource.table.name),
      "link": .string("/\(URLCoding.encodeSegment(resource.name))"),
      // A record can't be named by what can't be seen.
      "key": JSONValue(strings: key.contains(where: resource.hidden.contains) ? [] : key),
      "label": resource.labelColumn.map { .string($0.name) } ?? .null,
      "isSearchable": .bool(resource.table.fullText != nil),
      "columns": .array(resource.columns.map(json)),
      "associations": .array(resource.associations.values.map { json($0, of: resource) }),
    ]
  }

  private func json(_ column: Column) -> JSONValue {
    [
      "name": .string(column.name), "type": .string(column.declaredType),
      "nullable": .bool(column.isNullable),
      "default": column.defaultValue.map { .string($0.rendered().text) } ?? .null,
    ]
  }

  private func json(_ association: Association, of resource: Resource) -> JSONValue {
    let inverse = model.inverse(of: association, of: resource)
    var members: [(String, JSONValue)] = [
      ("key", .string(association.key)), ("kind", .string(association.kind)),
      ("destination", .string(association.destination)),
      ("inverse", inverse.map { .string($0.key) } ?? .null),
      ("origin", origin(of: association).map(JSONValue.string) ?? .null),
    ]
    if association.steps.count == 1, let step = association.steps.first {
      members.append(("columns", columns(of: step)))
    } else {
      let steps = association.steps.map { step -> JSONValue in
        [
          "from": visible[step.origin] == nil ? .null : .string(step.origin),
          "to": visible[step.destination] == nil ? .null : .string(step.destination),
          "columns": columns(of: step),
        ]
      }
      members.append(("steps", .array(steps)))
    }
    return .object(members)
  }

  /// From the origin's columns to the destination's; none where some can't be seen.
  private func columns(of step: AssociationStep) -> JSONValue {
    guard isVisible(step.originColumns, of: step.origin),
      isVisible(step.destinationColumns, of: step.destination)
    else { return .object([]) }
    return .object(zip(step.originColumns, step.destinationColumns).map { ($0, .string($1)) })
  }

  /// Where an association comes from: the line of the model file, or the columns of its foreign keys, such as
  /// `book.authorId`; nil where these can't be seen.
  private func origin(of association: Association) -> String? {
    if let definition = association.definition { return definition }
    let keys = association.steps.map { step in
      step.direction == .belongsTo
        ? (step.origin, step.originColumns) : (step.destination, step.destinationColumns)
    }
    guard keys.allSatisfy({ isVisible($1, of: $0) }) else { return nil }
    return keys.flatMap { table, columns in columns.map { "\(table).\($0)" } }.joined(separator: ", ")
  }

  private func isVisible(_ columns: [String], of table: String) -> Bool {
    columns.allSatisfy { visible[table]?.contains($0) ?? false }
  }
}

extension Model {
  /// The association that leads back; of several, the one without a condition.
  func inverse(of association: Association, of resource: Resource) -> Association? {
    let found = resources[association.destination]?.associations.values.filter { other in
      other.destination == resource.name && other.steps.count == association.steps.count
        && zip(other.steps, association.steps.reversed()).allSatisfy { $0.leads(as: $1.reversed) }
    }
    return found?.first { $0.filter == nil } ?? found?.first
  }
}

extension AssociationStep {
  fileprivate var reversed: AssociationStep {
    AssociationStep(
      origin: destination, destination: origin, originColumns: destinationColumns,
      destinationColumns: originColumns, direction: direction == .has ? .belongsTo : .has, isToOne: false)
  }
}
