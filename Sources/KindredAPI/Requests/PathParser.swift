import KindredAssociations
import KindredSQLSyntax
import OrderedCollections

/// Reads a path: a resource, then records and associations in turn (§2 of the contract).
struct PathParser {
  let model: Model
  var literals: Literals

  /// - Parameter segments: as received, still encoded: a raw comma separates, an encoded one is data.
  /// - Throws: `RequestError`, `unknownResource` and `unknownAssociation` where a path leads nowhere.
  mutating func parse(_ segments: [Substring]) throws -> RequestPath {
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
    for segment in segments.dropFirst() {
      if isOne {
        let key = try URLCoding.decode(segment)
        guard let association = resource.associations[key] else {
          throw RequestError.unknown(
            key, .unknownAssociation, "`\(key)` is no association of \(resource.name)",
            among: resource.associations.keys)
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

  /// A value of a key.
  ///
  /// A URL is text; a column without a type holds what it was given, so a number or the bytes that
  /// base64 stands for may be meant.
  private mutating func keyColumn(_ column: Column, _ text: String) throws -> RequestPath.KeyColumn {
    var values: [SQLValue] = [.text(text)]
    if column.affinity == .blob {
      if let integer = Int64(text) { values.append(.integer(integer)) }
      if let real = Double(text), Int64(text) == nil { values.append(.real(real)) }
      if let bytes = Base64.decode(text) { values.append(.blob(bytes)) }
    }
    return RequestPath.KeyColumn(name: column.name, literals: values.map { literals.number(of: $0) })
  }
}
