import KindredModel
import KindredSQLSyntax

extension Planner {
  /// Returns a computed column with the type of its expression.
  ///
  /// - Throws: `RequestError` if the expression has no meaning, or leads to itself.
  public func column(_ name: String, of resource: Resource) throws -> Column? {
    guard resource.computed[name] != nil else { return nil }
    let (context, scope) = (context(), NameScope(model: model, resource: resource))
    let record = StatementRecord(scope, in: StatementBuilder(context.dialect).newSelect())
    let expression = Expression(names: [name])
    let resolved = try context.resolver.resolve(expression, in: NameContext(scope: scope, author: .model))
    let compiled = try context.expressions.compile(resolved, in: record)
    guard compiled.sql.length <= limits.sqlLength else { throw context.state.budget.tooLong() }
    if let column = resolved.column { return column.renamed(name, isNullable: compiled.isNullable) }
    var column = Column(
      name: name, declaredType: context.dialect.declaredType(of: compiled, resolved),
      affinity: compiled.type.map(\.affinity), isNullable: compiled.isNullable, isGenerated: true,
      isComposed: compiled.type?.kind == .array)
    column.origin = compiled.type == nil ? .expression : .otherColumn
    return column
  }

  /// Returns whether an expression of the model file has a meaning in a resource.
  package func hasMeaning(_ expression: Expression, in resource: Resource) -> Bool {
    let names = NameContext(scope: NameScope(model: model, resource: resource), author: .model)
    return (try? context().resolver.resolve(expression, in: names)) != nil
  }
}

extension Column {
  /// Returns the column under the name of a computed one.
  fileprivate func renamed(_ name: String, isNullable: Bool) -> Column {
    var column = Column(
      name: name, declaredType: declaredType, affinity: affinity, collation: collation,
      isNullable: isNullable, isGenerated: true, isComposed: isComposed)
    (column.comparesBytes, column.keepsScale) = (comparesBytes, keepsScale)
    (column.namesInfinities, column.parts, column.labels) = (namesInfinities, parts, labels)
    column.origin = .otherColumn
    return column
  }
}

extension ValueType {
  /// The corresponding affinity of SQLite.
  fileprivate var affinity: Column.Affinity {
    switch kind {
    case .integer: .integer
    case .numeric, .boolean: .numeric
    case .real: .real
    case .blob: .blob
    case .text, .json, .date, .time, .timestamp, .timestampWithTimeZone, .interval, .array, .dynamic, .other:
      .text
    }
  }
}

extension ValueType {
  /// The type as a column of PostgreSQL declares it.
  fileprivate var declaredName: String {
    kind == .array && !name.hasSuffix("[]") ? Column.compositePrefix + name : Self.declaredNames[name] ?? name
  }

  private static let declaredNames = [
    "int8": "bigint", "float4": "real", "float8": "double precision", "bool": "boolean",
    "bpchar": "character",
    "time": "time without time zone", "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
  ]
}

extension SQLDialect {
  /// Returns the type of an expression as a column would declare it; empty if it is unknown.
  fileprivate func declaredType(of compiled: CompiledExpression, _ resolved: ResolvedExpression) -> String {
    if let type = compiled.type { return type.declaredName }
    if compiled.format == .boolean { return "BOOLEAN" }
    return resolved.storageClass ?? ""
  }
}

extension ResolvedExpression {
  /// The column that it names; nil if it is anything else.
  fileprivate var column: Column? {
    if case .path(let path) = meaning { path.column } else { nil }
  }

  /// The storage class of its values, where only one is possible.
  fileprivate var storageClass: String? {
    switch meaning {
    case .path(.computed(let computed)): computed.expression.storageClass
    case .path(.aggregate(let aggregate)): aggregate.storageClass
    case .path(.joined(_, .aggregate(let aggregate))): aggregate.storageClass
    case .path(let path): path.column?.declaredType
    case .binary(.concatenate, _, _): "TEXT"
    case .function(.scalar(let name), _, _): Self.storageClasses[name]
    case .collate(let value, _): value.storageClass
    case .cast(_, let type): type.rawValue.uppercased()
    default: nil
    }
  }

  private static let storageClasses = [
    "length": "INTEGER", "instr": "INTEGER", "sign": "INTEGER", "lower": "TEXT", "upper": "TEXT",
    "trim": "TEXT",
    "ltrim": "TEXT", "rtrim": "TEXT", "replace": "TEXT", "date": "TEXT", "time": "TEXT", "datetime": "TEXT",
    "strftime": "TEXT", "julianday": "REAL",
  ]
}

extension ResolvedAggregate {
  fileprivate var storageClass: String? {
    switch function {
    case .count: "INTEGER"
    case .average, .total: "REAL"
    case .concat: "TEXT"
    default: nil
    }
  }
}

extension ResolvedPath {
  /// The column at its end, of the record or of one that a to-one association leads to; nil if it is anything else.
  var column: Column? {
    switch self {
    case .column(let column): column
    case .computed(let computed): computed.expression.column
    case .joined(_, let path): path.column
    case .via, .above, .named, .aggregate, .claim, .unknown: nil
    }
  }
}
