import KindredModel
import KindredPostgreSQL

/// The components of types, by their OIDs.
struct TypeParts {
  /// The labels of enumerations.
  let labels: [Int64: [String]]
  private var fields: [Int64: [(name: String, type: Int64)]] = [:]
  /// The base types of domains, and the types of the elements of arrays.
  private var inner: [Int64: Int64] = [:]
  private var arrays: Set<Int64> = []
  private var names: [Int64: String] = [:]

  /// - Parameters:
  ///   - rows: The result of ``SchemaQueries/typeParts``.
  ///   - labels: The labels of enumerations.
  init(_ rows: QueryResult, _ labels: [Int64: [String]]) {
    self.labels = labels
    for row in 0..<rows.rowCount {
      guard let type = rows.integer(row, 0), let next = rows.integer(row, 2) else { continue }
      names[next] = rows.text(row, 5)
      if rows.isTrue(row, 4), rows.text(row, 3) != "d" { arrays.insert(next) }
      guard type != 0 else { continue }
      if let field = rows.text(row, 1) {
        fields[type, default: []].append((field, next))
      } else {
        inner[type] = next
      }
    }
  }

  /// Returns a type, the base of a domain or the type of an array's elements, if it is composite; else nil.
  func composite(_ type: Int64) -> CompositeType? {
    guard let fields = fields[type] else { return inner[type].flatMap { composite($0) } }
    return CompositeType(
      fields: Dictionary(
        fields.map { (ExactName($0.name), composite($0.type)) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Returns what values of a type are made of; nil for values without parts.
  func structure(_ type: Int64) -> ValueStructure? {
    if let fields = fields[type] { return .fields(fields.map { part($0.type, named: $0.name) }) }
    guard let inner = inner[type] else { return nil }
    return arrays.contains(type) ? .elements(part(inner)) : structure(inner)
  }

  private func part(_ type: Int64, named name: String = "") -> ValueStructure.Part {
    var base = type
    while !arrays.contains(base), fields[base] == nil, let next = inner[base] { base = next }
    let declaredType = names[base] ?? names[type] ?? ""
    let kind = ColumnKind(typeName: declaredType)
    var part = ValueStructure.Part(
      name: name, type: declaredType, affinity: kind.affinity, labels: labels[base] ?? [],
      structure: structure(type))
    part.keepsScale = kind == .numeric
    part.integerBits = ColumnKind.integerBits(typeName: declaredType)
    return part
  }
}
