import GRDB
import OracleValues

/// Translates requests to GRDB's associations, if GRDB can express and correctly answer them.
///
/// Only the naive evaluation checks groups, limits below the root, recursion, `../`, `via`, bare values, distinct
/// results, sums besides other aggregates, required associations behind optional ones, orders of to-one records, and
/// records below joined ones.
struct GRDBTranslator {
  let schema: DatabaseSchema

  func request(_ request: Request) throws -> QueryInterfaceRequest<Row> {
    guard request.path.isEmpty, let table = schema.table(request.table) else { throw Unsupported("paths") }
    let node = request.root
    let all = try refined(ordered(Table<Row>(table.name).all(), by: node, table, []), by: node, table)
    guard node.limit != nil || node.offset != nil else { return all }
    return all.limit(node.limit ?? Int.max, offset: node.offset)
  }

  /// Applies all parameters of a node.
  private func refined<R: DerivableRequest>(_ start: R, by node: Node, _ table: TableSchema) throws -> R
  where R.RowDecoder == Row {
    guard node.recursion == nil, node.values == nil, !node.isDistinct, !node.isGrouped, node.fields == nil
    else {
      throw Unsupported("shapes")
    }
    var request = start.select(table.columns.map { Column($0.name) })
    for filter in node.filters { request = request.filter(try expression(filter)) }
    for having in node.havings { request = try Self.having(having, request, translator: self, table) }
    for annotation in node.annotations { request = try annotated(request, by: annotation, node, table) }
    for child in node.children { request = try joined(request, to: child, table) }
    return request
  }

  /// A to-many node, or the root, in a total order.
  private func ordered<R: DerivableRequest>(
    _ request: R, by node: Node, _ table: TableSchema, _ sort: [SortTerm]
  ) throws -> R
  where R.RowDecoder == Row {
    let terms = try (node.sort ?? (sort.isEmpty ? table.defaultSort : sort)).map(term)
    return request.order(terms + table.key.map { Column($0) })
  }

  // MARK: Associations

  private func joined<R: DerivableRequest>(_ request: R, to child: Node, _ table: TableSchema) throws -> R
  where R.RowDecoder == Row {
    guard let schema = table.association(child.association),
      let destination = self.schema.table(schema.destination)
    else { throw Invalid("no association") }
    let association = try association(schema, key: child.key)
    if let toMany = association as? any RowAssociationToMany {
      let isShared = schema.steps.count > 1 || schema.steps.first?.originColumns != table.key
      if isShared, child.isGroupedByGRDB(destination) {
        // GRDB groups the records of all parents together, and assigns each group to one parent only.
        throw Unsupported("aggregates of records that several parents share")
      }
      let request = try joined(request, toMany: toMany, child, destination, schema.sort)
      let counted = try self.association(schema, key: "\(child.key) required") as? any RowAssociationToMany
      guard child.isRequired, let counted else { return request }
      return try required(request, counted, child, destination)
    }
    guard let toOne = association as? any RowAssociationToOne else { throw Unsupported("associations") }
    return try joined(request, toOne: toOne, child, destination)
  }

  private func joined<R: DerivableRequest>(
    _ request: R, toMany association: some RowAssociationToMany, _ child: Node, _ table: TableSchema,
    _ sort: [SortTerm]
  ) throws -> R where R.RowDecoder == Row {
    guard child.limit == nil, child.offset == nil else { throw Unsupported("limits per parent") }
    guard child.isIncluded || !child.isReturned else { throw Unsupported("records below joined ones") }
    guard child.isIncluded else { return request }
    return request.including(all: try refined(ordered(association, by: child, table, sort), by: child, table))
  }

  private func required<R: DerivableRequest>(
    _ request: R, _ association: some RowAssociationToMany, _ child: Node, _ table: TableSchema
  ) throws -> R where R.RowDecoder == Row {
    guard child.children.isEmpty, child.annotations.isEmpty, child.havings.isEmpty else {
      throw Unsupported("a to-many association required with more than filters")
    }
    try Self.checkCount(of: table)
    var counted = association
    for filter in child.filters { counted = counted.filter(try expression(filter)) }
    return request.having(counted.isEmpty == false)
  }

  private func joined<R: DerivableRequest>(
    _ request: R, toOne association: some RowAssociationToOne, _ child: Node, _ table: TableSchema
  ) throws -> R where R.RowDecoder == Row {
    guard child.sort == nil else { throw Unsupported("orders of to-one records") }
    guard child.isRequired || !child.children.contains(where: \.isRequired) else {
      throw Unsupported("required behind optional")
    }
    guard child.isIncluded || !child.isReturned else { throw Unsupported("records below joined ones") }
    guard !child.isGroupedByGRDB(table) else { throw Unsupported("aggregates of a joined record") }
    let refined = try refined(association, by: child, table)
    return switch (child.isIncluded, child.isRequired) {
    case (true, true): request.including(required: refined)
    case (true, false): request.including(optional: refined)
    case (false, true): request.joining(required: refined)
    case (false, false): request.joining(optional: refined)
    }
  }

  // MARK: Aggregates

  private func annotated<R: DerivableRequest>(
    _ request: R, by annotation: NamedExpr, _ node: Node, _ table: TableSchema
  ) throws -> R where R.RowDecoder == Row {
    guard case .path(let path) = annotation.expression, let found = path.aggregate else {
      return request.annotated(with: [try expression(annotation.expression).forKey(annotation.name)])
    }
    guard path.parents == 0, path.hops.isEmpty else { throw Unsupported("aggregates behind other records") }
    if ["sum", "total", "average"].contains(found.function), node.annotations.count + node.havings.count > 1 {
      throw Unsupported("sums beside other aggregates")
    }
    return try Self.aggregated(request, found, name: annotation.name, translator: self, node, table)
  }

  private static func aggregated<R: DerivableRequest>(
    _ request: R, _ found: AssociationAggregate, name: String, translator: GRDBTranslator, _ node: Node,
    _ table: TableSchema
  ) throws -> R where R.RowDecoder == Row {
    let association = try translator.counted(found, key: "\(name) counted", node, table)
    return try annotated(request, association, found, name: name, translator)
  }

  private static func annotated<R: DerivableRequest>(
    _ request: R, _ association: some RowAssociationToMany, _ found: AssociationAggregate, name: String,
    _ translator: GRDBTranslator
  ) throws -> R where R.RowDecoder == Row {
    let aggregate = try translator.aggregate(found, of: association)
    return request.annotated(with: aggregate.forKey(name))
  }

  /// `having` with one comparison of an aggregate and a literal.
  private static func having<R: DerivableRequest>(
    _ condition: Expr, _ request: R, translator: GRDBTranslator, _ table: TableSchema
  ) throws -> R where R.RowDecoder == Row {
    guard case .binary(let sign, .path(let path), .value(.integer(let value))) = condition,
      let found = path.aggregate,
      path.parents == 0, path.hops.isEmpty, ["count", "min", "max"].contains(found.function)
    else { throw Unsupported("such conditions on aggregates") }
    let association = try translator.counted(found, key: "having counted", Node(), table)
    return try having(request, association, found, sign, value, translator)
  }

  private static func having<R: DerivableRequest>(
    _ request: R, _ association: some RowAssociationToMany, _ found: AssociationAggregate, _ sign: String,
    _ value: Int64,
    _ translator: GRDBTranslator
  ) throws -> R where R.RowDecoder == Row {
    let aggregate = try translator.aggregate(found, of: association)
    return switch sign {
    case "=": request.having(aggregate == value)
    case "<": request.having(aggregate < value)
    case "<=": request.having(aggregate <= value)
    case ">": request.having(aggregate > value)
    case ">=": request.having(aggregate >= value)
    default: throw Unsupported("such comparisons of aggregates")
    }
  }

  /// Returns the association of an aggregate with its filters.
  private func counted(
    _ found: AssociationAggregate, key: String, _ node: Node, _ table: TableSchema
  ) throws -> any RowAssociationToMany {
    guard !node.children.contains(where: { $0.key == found.key }), let schema = table.association(found.key),
      let destination = self.schema.table(schema.destination)
    else { throw Unsupported("aggregates of nodes") }
    try Self.checkCount(of: destination)
    guard
      schema.steps.count == 1 || found.function == "count" || found.function == "isEmpty"
        || ["min", "max"].contains(found.function)
    else { throw Unsupported("sums of associations through others") }
    guard var association = try association(schema, key: key) as? any RowAssociationToMany else {
      throw Unsupported("associations")
    }
    for filter in found.filters { association = Self.filtered(association, try expression(filter)) }
    return association
  }

  private static func filtered(
    _ association: some RowAssociationToMany, _ filter: SQLExpression
  ) -> any RowAssociationToMany { association.filter(filter) }

  private func aggregate(
    _ found: AssociationAggregate, of association: some RowAssociationToMany
  ) throws -> GRDB.AssociationAggregate<Row> {
    switch found.function {
    case "count": return association.count
    case "isEmpty": return association.isEmpty
    default: break
    }
    guard let argument = found.argument else { throw Invalid("no argument") }
    let value = try expression(argument)
    return switch found.function {
    case "min": association.min(value)
    case "max": association.max(value)
    case "average": association.average(value)
    case "sum": association.sum(value)
    case "total": association.total(value)
    default: throw Invalid("no aggregate \(found.function)")
    }
  }

  private static func checkCount(of table: TableSchema) throws {
    // GRDB: "Not implemented for WITHOUT ROWID table with a multi-columns primary key".
    if table.isWithoutRowID, table.primaryKey.count > 1 { throw Unsupported("counts of such tables") }
  }
}

extension Path {
  fileprivate var aggregate: AssociationAggregate? {
    switch leaf {
    case .aggregate(let aggregate), .defaultName(_, let aggregate): aggregate
    case .column, .via, .named: nil
    }
  }
}

extension Node {
  /// Whether GRDB translates it to GROUP BY.
  fileprivate func isGroupedByGRDB(_ table: TableSchema) -> Bool {
    !havings.isEmpty || annotations.contains { $0.expression.isAggregate }
      || children.contains { $0.isRequired && table.association($0.association)?.isToMany == true }
  }
}

extension Expr {
  fileprivate var isAggregate: Bool {
    if case .path(let path) = self { path.aggregate != nil } else { false }
  }
}
