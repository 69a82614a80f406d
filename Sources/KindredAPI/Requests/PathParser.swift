import KindredAssociations
import KindredSQLSyntax
import OrderedCollections

/// Reads a path: a resource, then records and associations in turn (§2 of the contract).
struct PathParser {
  let model: Model
  var literals: Literals
  /// The column of the record that the path ends with; it isn't part of the parsed path.
  private(set) var column: Column?

  init(model: Model, literals: Literals) {
    self.model = model
    self.literals = literals
  }

  /// - Parameters:
  ///   - segments: as received, still encoded: a raw comma separates, an encoded one is data.
  ///   - allowsColumn: whether the path may end with a column of a record.
  /// - Throws: `RequestError`, `unknownResource` and `unknownAssociation` where a path leads nowhere.
  mutating func parse(_ segments: [Substring], allowsColumn: Bool = false) throws -> RequestPath {
    guard let first = segments.first else {
      throw RequestError(.unknownResource, "the path names no resource")
    }
    let name = try URLCoding.decode(first)
    guard var resource = model.resources[name] else {
      throw RequestError.unknown(
        name, .unknownResource, "there is no resource `\(name)`", among: model.resources.keys)
    }
    var path = RequestPath(resource: name)
    // A key may follow many records, an association one.
    var isOne = false
    for (number, segment) in segments.enumerated().dropFirst() {
      if isOne {
        let key = try URLCoding.decode(segment)
        guard let association = resource.associations[key] else {
          if allowsColumn, number == segments.count - 1,
            let column = resource.columns.first(where: { $0.name == key })
          {
            self.column = column
            return path
          }
          throw RequestError.unknown(
            key, .unknownAssociation,
            "`\(key)` is no association\(allowsColumn ? " and no column" : "") of \(resource.name)",
            among: Array(resource.associations.keys) + (allowsColumn ? resource.columns.map(\.name) : []))
        }
        guard let destination = model.resources[association.destination] else {
          throw RequestError(.unknownResource, "there is no resource `\(association.destination)`")
        }
        path.segments.append(.association(association))
        resource = destination
        isOne = association.cardinality == .toOne
      } else {
        path.segments.append(.record(try parseKey(segment, of: resource)))
        isOne = true
      }
    }
    return path
  }

  /// The key of a record: values in key order, or columns by name.
  private mutating func parseKey(_ segment: Substring, of resource: Resource) throws -> [RequestPath
    .KeyColumn]
  {
    let key = resource.table.primaryKey.map { resource.table.columns[$0] }
    if segment.contains("=") { return try parseNamedKey(segment, of: resource) }
    switch key.count {
    case 0:
      throw RequestError(
        .invalidKey, "\(resource.name) has no primary key: use `filter`, or a unique key by name")
    case 1:
      return [try keyColumn(key[0], URLCoding.decode(segment))]
    default:
      let values = segment.split(separator: ",", omittingEmptySubsequences: false)
      guard values.count == key.count else {
        let names = key.map(\.name).joined(separator: ",")
        throw RequestError(
          .invalidKey,
          "the key of \(resource.name) has \(key.count) values, separated by raw commas: write /\(resource.name)/\(names)"
        )
      }
      return try zip(key, values).map { try keyColumn($0, URLCoding.decode($1)) }
    }
  }

  private mutating func parseNamedKey(
    _ segment: Substring, of resource: Resource
  ) throws -> [RequestPath.KeyColumn] {
    var columns: [RequestPath.KeyColumn] = []
    for pair in segment.split(separator: ",", omittingEmptySubsequences: false) {
      guard let sign = pair.firstIndex(of: "=") else {
        throw RequestError(
          .invalidKey, "`\(pair)` names no column: write name=value, and an encoded comma as %2C")
      }
      let name = try URLCoding.decode(pair[..<sign])
      guard let column = resource.columns.first(where: { $0.name == name }) else {
        throw RequestError.unknown(
          name, .invalidKey, "`\(name)` is no column of \(resource.name)", among: resource.columns.map(\.name)
        )
      }
      columns.append(try keyColumn(column, URLCoding.decode(pair[pair.index(after: sign)...])))
    }
    guard resource.table.isUnique(columns.map(\.name)) else {
      throw RequestError(
        .invalidKey,
        "\(columns.map(\.name).joined(separator: ",")) is no unique key of \(resource.name): use `filter`, or make a unique index"
      )
    }
    return columns
  }

  private mutating func keyColumn(_ column: Column, _ text: String) throws -> RequestPath.KeyColumn {
    RequestPath.KeyColumn(
      name: column.name, literals: column.candidates(for: text).map { literals.number(of: $0) })
  }
}
