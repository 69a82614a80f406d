import KindredModel

/// Parses a path: a resource, then records and associations in turn (docs/requests.md).
package struct PathParser {
  package let model: Model
  package var literals: Literals
  /// The column that the path ends with, which isn't part of the parsed path.
  package private(set) var column: Column?
  /// The path as far as it has been parsed.
  package private(set) var path: RequestPath?

  package init(model: Model, literals: Literals) {
    self.model = model
    self.literals = literals
  }

  /// - Parameters:
  ///   - segments: The encoded segments: a raw comma separates, an encoded one is data.
  ///   - allowsColumn: Whether the path may end with a column of a record.
  /// - Throws: `RequestError`; `unknownResource` and `unknownAssociation` if the path leads nowhere.
  package mutating func parse(_ segments: [Substring], allowsColumn: Bool = false) throws -> RequestPath {
    guard let first = segments.first else {
      throw RequestError(.unknownResource, "the path names no resource")
    }
    let name = try decode(first, 0)
    guard var resource = model.resources[name] else {
      if model.isDenied(name) { throw RequestError.forbidden(name, of: name) }
      throw model.unknownResource(name, at: Origin(number: 0))
    }
    var path = RequestPath(resource: name)
    self.path = path
    // A key may follow several records, an association a single one.
    var isOne = false
    var association: Association?
    for (number, segment) in segments.enumerated().dropFirst() {
      if isOne {
        let key = try decode(segment, number)
        guard let found = resource.associations[key] else {
          if allowsColumn, number == segments.count - 1,
            let column = resource.columns.first(named: key)
          {
            self.column = column
            return path
          }
          if let denied = model.deniedDestination(of: key, resource) {
            throw RequestError.forbidden(key, of: denied)
          }
          throw model.unknownAssociation(
            key,
            "`\(key)` is not an association\(allowsColumn ? " or a column" : "") of \(resource.name)",
            of: resource,
            among: Array(resource.associations.keys) + (allowsColumn ? resource.columns.map(\.name) : []),
            at: Origin(number: number))
        }
        guard let destination = model.resources[found.destination] else {
          throw RequestError(.unknownResource, "there is no resource `\(found.destination)`")
        }
        path.segments.append(.association(found))
        resource = destination
        association = found
        isOne = found.cardinality == .toOne
      } else {
        path.segments.append(.record(try parseKey(segment, number, of: resource, below: association)))
        isOne = true
      }
      self.path = path
    }
    return path
  }

  /// Parses the key of a record: values in key order, or columns by name.
  ///
  /// - Parameters:
  ///   - number: The number of the segment.
  ///   - association: The association before the key, which may fix some of its columns.
  private mutating func parseKey(
    _ segment: Substring, _ number: Int, of resource: Resource, below association: Association?
  ) throws -> [RequestPath.KeyColumn] {
    let key = resource.addressColumns
    if segment.contains("=") { return try parseNamedKey(segment, number, of: resource, below: association) }
    switch key.count {
    case 0:
      throw RequestError(
        .invalidKey, "\(resource.name) has no primary key; use `filter`, or a unique key as in name=value",
        at: Origin(number: number))
    case 1:
      return [try keyColumn(key[0], decode(segment, number), number, of: resource)]
    default:
      let open = resource.openAddressColumns(below: association)
      let values = segment.split(separator: ",", omittingEmptySubsequences: false)
      // As many values as the key has are the whole key, wherever it stands.
      guard let columns = [key, open].first(where: { $0.count == values.count }) else {
        throw Self.wrongCount(of: open.isEmpty ? key : open, in: resource, below: association, number)
      }
      return try zip(columns, values).map { try keyColumn($0, decode($1, number), number, of: resource) }
    }
  }

  /// - Parameter columns: The columns whose values the path leaves open.
  private static func wrongCount(
    of columns: [Column], in resource: Resource, below association: Association?, _ number: Int
  ) -> RequestError {
    // A column that the client may not read has no name.
    let names = columns.map { resource.hidden.contains($0.name) ? "…" : $0.name }.joined(separator: ",")
    let values = columns.count == 1 ? "1 value" : "\(columns.count) values, separated by unencoded commas"
    return RequestError(
      .invalidKey,
      "the key of \(resource.name) consists of \(values)\(association == nil ? "" : " here"); write /\(association?.key ?? resource.name)/\(names)",
      at: Origin(number: number))
  }

  private mutating func parseNamedKey(
    _ segment: Substring, _ number: Int, of resource: Resource, below association: Association?
  ) throws -> [RequestPath.KeyColumn] {
    var columns: [RequestPath.KeyColumn] = []
    for pair in segment.split(separator: ",", omittingEmptySubsequences: false) {
      guard let sign = pair.firstIndex(of: "=") else {
        throw RequestError(
          .invalidKey, "`\(pair)` has no column name; write name=value, and %2C for a comma in a value",
          at: Origin(number: number))
      }
      let name = try decode(pair[..<sign], number)
      guard let column = resource.columns.first(named: name) else {
        throw RequestError.unknown(
          name, .invalidKey, "`\(name)` is not a column of \(resource.name)",
          among: resource.columns.map(\.name),
          at: Origin(
            position: segment.unicodeScalars.distance(from: segment.startIndex, to: pair.startIndex),
            number: number))
      }
      columns.append(
        try keyColumn(column, decode(pair[pair.index(after: sign)...], number), number, of: resource))
    }
    guard resource.table.isIdentified(by: columns.map(\.name) + (association?.fixedColumns ?? [])) else {
      throw RequestError(
        .invalidKey,
        "\(columns.map(\.name).joined(separator: ",")) is not a unique key of \(resource.name); use `filter`, or create a unique index",
        at: Origin(number: number))
    }
    return columns
  }

  private mutating func keyColumn(
    _ column: Column, _ text: String, _ number: Int, of resource: Resource
  ) throws -> RequestPath.KeyColumn {
    guard column.isCanonical(text) else {
      let name = resource.hidden.contains(column.name) ? "" : " of \(column.name)"
      throw RequestError(
        .notFound,
        "`\(text)` is not in the form that paths use for numbers\(name); write the number as in responses",
        at: Origin(number: number))
    }
    return RequestPath.KeyColumn(
      name: column.name, literals: column.keyCandidates(for: text).map { literals.number(of: $0, in: .key) })
  }

  private func decode(_ part: Substring, _ number: Int) throws -> String {
    do {
      return try URLCoding.decode(part)
    } catch var error as RequestError {
      error.origin?.number = number
      throw error
    }
  }
}
