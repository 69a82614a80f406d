import KindredBackend
import KindredModel
import KindredPlanning
import KindredRequests

/// Finds the stored value that made a record longer than the memory of a request.
///
/// The request is planned once more, with the number of bytes of each value in its place, which the database tells without
/// reading them.
struct LongValueSearch {
  private let request: FetchRequest
  private let isColumnValue: Bool
  private var found: Found?

  private struct Found {
    /// The record, as the end of its path: `docs/1`.
    let record: String
    let column: String
    let size: Int
  }

  /// The document of lengths up to which a search is worth it, in bytes.
  private static let longestDocument = 8 << 20

  init(_ request: FetchRequest, isColumnValue: Bool) {
    (self.request, self.isColumnValue) = (request, isColumnValue)
  }

  /// Returns the error that names the longest value of an answer; nil if that is no longer than others.
  ///
  /// - Parameter limit: The memory of a request, in bytes; nil for no limit.
  mutating func error(
    in reader: any ResultSource, _ model: Model, limit: Int?
  ) throws -> RequestError? {
    try find(in: reader, model)
    guard let found, found.size > (limit ?? Int.max) / 8 else { return nil }
    return error(for: found, limit)
  }

  /// Returns the number of bytes of the longest value; nil if none is found.
  mutating func longest(in reader: any ResultSource, _ model: Model) throws -> Int? {
    try find(in: reader, model)
    return found?.size
  }

  private mutating func find(in reader: any ResultSource, _ model: Model) throws {
    try reader.start()
    var bytes: [UInt8] = []
    while bytes.count < Self.longestDocument, let part = try reader.next() { bytes += part }
    guard let document = try? JSONDocumentParser.parse(bytes) else { return }
    var resource = request.path.resource
    for case .association(let association) in request.path.segments { resource = association.destination }
    if isColumnValue {
      if case .number = document.root.content, let size = Int(document.text(of: document.root)) {
        found = Found(record: "this record", column: request.root.values?.name ?? "its value", size: size)
      }
    } else if let resource = model.resources[resource] {
      search(document.root, document, request.root, resource, model)
    }
  }

  private func error(for found: Found, _ limit: Int?) -> RequestError {
    let room = limit.map { " (--max-query-memory, \($0 >> 20) MiB)" } ?? ""
    let advice = isColumnValue ? "it can't be sent" : "leave it out by `fields`"
    return RequestError(
      .limitExceeded,
      "`\(found.column)` of \(found.record) has \(found.size) bytes, which with the rest of its record is more than the memory of a request\(room); \(advice)"
    )
  }

  private mutating func search(
    _ value: JSONDocument.Node, _ document: JSONDocument, _ node: RequestNode, _ resource: Resource,
    _ model: Model
  ) {
    switch value.content {
    case .array(let elements):
      for element in elements { search(element, document, node, resource, model) }
    case .object(let members):
      let columns = node.columnsShown(of: resource)
      let children = node.childrenShown
      for member in members {
        if let column = columns[member.name], case .number = member.value.content,
          let size = Int(document.text(of: member.value)), size > found?.size ?? 0
        {
          found = Found(record: record(members, document, resource), column: column, size: size)
        } else if let child = children.first(where: { $0.key == member.name }),
          let destination = child.association.flatMap({ model.resources[$0.destination] })
        {
          search(member.value, document, child, destination, model)
        }
      }
    case .null, .boolean, .number, .string: break
    }
  }

  private func record(
    _ members: [JSONDocument.Member], _ document: JSONDocument, _ resource: Resource
  ) -> String {
    let key = members.filter { $0.name.hasPrefix(RequestNode.keyPrefix) }.map { member in
      if case .string(let text) = member.value.content { return text }
      return document.text(of: member.value)
    }
    return key.isEmpty ? "a record of \(resource.name)" : "\(resource.name)/\(key.joined(separator: ","))"
  }
}

extension RequestNode {
  /// How the names of added members begin that hold keys.
  fileprivate static let keyPrefix = "kindred:key:"

  /// The columns that members show, by the names of these.
  fileprivate func columnsShown(of resource: Resource) -> [String: String] {
    var columns: [String: String] = [:]
    for field in fields ?? [.all] {
      switch field {
      case .all: for column in resource.columns { columns[column.name] = column.name }
      case .expression(let item):
        if let column = item.expression.name { columns[item.name ?? column] = column }
      }
    }
    return columns
  }

  /// The nodes that are members of the node's records, also those below a joined one.
  fileprivate var childrenShown: [RequestNode] {
    children.flatMap { $0.isIncluded ? [$0] : $0.childrenShown }
  }

  /// Adds the keys of records to what is shown of them.
  mutating func addKeys(of resource: Resource, in model: Model) {
    if values == nil, !isGrouped, !isDistinct {
      for column in resource.shownAddressColumns {
        // Not the column alone, of which the length would be read.
        let parts = [Expression(names: [column.name]), Expression(.null, at: Origin())]
        annotations.append(
          NamedExpression(
            name: Self.keyPrefix + column.name,
            expression: Expression(
              .function(name: "coalesce", arguments: parts, isDistinct: false), at: Origin())))
      }
    }
    for index in children.indices {
      guard let name = children[index].association?.destination, let destination = model.resources[name]
      else {
        continue
      }
      if children[index].isIncluded { children[index].addKeys(of: destination, in: model) }
    }
  }
}

extension Expression {
  /// The name of the column or annotation that it is; nil for another expression.
  fileprivate var name: String? {
    guard case .path(let path) = kind, path.parents == 0, path.components.count == 1 else { return nil }
    return path.components[0].name
  }
}
