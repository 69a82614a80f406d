import KindredModel
import KindredSQLSyntax

/// Records that a path leads to: all of a resource, or the associated ones of a record.
struct PathRecords {
  var resource: Resource
  var association: Association?
  var origin: StatementRecord?
  /// The key in the path that selects one of them.
  var key: [RequestPath.KeyColumn]?

  /// Whether there is at most one.
  var isSingle: Bool { key != nil || association?.cardinality == .toOne }

  /// Whether it is found by the primary key of its table.
  var isFoundByPrimaryKey: Bool {
    guard association == nil, case .table = resource.table.kind, let key else { return false }
    let columns = resource.table.primaryKey.map { resource.table.columns[$0].name }
    return !columns.isEmpty && columns.allSatisfy { column in key.contains { $0.name == column } }
  }

  /// The error detail if there is no such record.
  var absence: String {
    guard let association else { return "there is no such record in \(resource.name)" }
    return key == nil
      ? "there is no `\(association.key)` of this record"
      : "there is no such record in `\(association.key)` of this record"
  }
}

extension RequestPath {
  /// The parameters of the resource where the path starts, as a node; nil if it has none.
  fileprivate var start: RequestNode? {
    guard !parameters.isEmpty else { return nil }
    var node = RequestNode()
    node.parameters = parameters
    return node
  }
}

/// Builds the selects of a request's path.
struct RecordPath {
  /// The records on the way, and the error detail if one doesn't exist.
  ///
  /// Selects below may still add columns to them.
  private(set) var steps: [(record: StatementRecord, absence: String)] = []
  /// The records at the end.
  private(set) var records: PathRecords
  private let context: PlanningContext

  /// Begins a select for each record on the way.
  init(_ path: RequestPath, _ context: PlanningContext) throws {
    self.context = context
    records = PathRecords(resource: try context.model.resource(named: path.resource))
    for segment in path.segments {
      switch segment {
      case .record(let key):
        records.key = key
      case .association(let association):
        let statement = StatementBuilder(
          context.dialect, level: steps.count, runsOften: false, givesMany: false)
        let record = try open(node: steps.isEmpty ? path.start : nil, statement: statement)
        steps.append((record, records.absence))
        records = PathRecords(
          resource: try context.model.resource(named: association.destination), association: association,
          origin: record)
      }
    }
  }

  /// The level of the statement of the records at the end.
  var level: Int { steps.count }

  /// The selects of the records on the way, when everything below has been built.
  var selects: [PathSelect] { steps.map { PathSelect($0.record, absence: $0.absence) } }

  /// Begins the select of the records at the end: their table, and the conditions that find them.
  ///
  /// The records of the path can't be named by `../`.
  func end(node: RequestNode?, statement: StatementBuilder) throws -> StatementRecord {
    try open(node: node, statement: statement).asRoot
  }

  private func open(node: RequestNode?, statement: StatementBuilder) throws -> StatementRecord {
    let select = statement.newSelect()
    let record: StatementRecord
    if let association = records.association, let origin = records.origin {
      let keyed = KeyedAssociation(key: association.key, association: association, node: node)
      record = try context.chains.destination(
        of: try origin.names.destination(of: keyed), from: origin, into: select,
        isRepeated: statement.runsOften)
    } else {
      let table = records.resource.table
      record = StatementRecord(
        NameScope(model: context.model, resource: records.resource, node: node, parent: nil), table: table,
        alias: select.alias(for: table), select: select, parent: nil)
      select.begin(with: try context.sources.reference(to: record))
    }
    select.add(try (records.key ?? []).map { try context.conditions.equality($0, in: record, isKey: true) })
    return record
  }
}
