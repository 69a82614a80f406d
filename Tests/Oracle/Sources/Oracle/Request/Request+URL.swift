import Foundation
import OracleValues

extension Request {
  /// The request as a client writes it, percent-encoded.
  func target(in schema: DatabaseSchema) -> String {
    let segments = [table + "s"] + path.map(\.text)
    let query = parameters.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }
    return "/" + segments.joined(separator: "/") + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
  }

  /// The parameters, not encoded.
  var parameters: [(name: String, value: String)] {
    let includes = root.items(prefix: "", isJoin: false)
    let joins = root.items(prefix: "", isJoin: true)
    var parameters: [(name: String, value: String)] = []
    if !includes.isEmpty { parameters.append(("include", includes.joined(separator: ","))) }
    if !joins.isEmpty { parameters.append(("join", joins.joined(separator: ","))) }
    parameters += root.parameters(prefix: "")
    if count { parameters.append(("count", "true")) }
    return parameters
  }

  fileprivate static func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  /// The characters that are not encoded: those of RFC 3986 §2.3, and some others for legibility.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~,:!*()/<>='")
}

extension Request.Segment {
  var text: String {
    switch self {
    case .association(let key): key
    case .record(let columns, let isNamed):
      columns.map { column in
        let value =
          switch column.value {
          case .text(let text): text
          default: column.value.literal
          }
        let encoded = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? value
        return isNamed ? "\(column.column)=\(encoded)" : encoded
      }.joined(separator: ",")
    }
  }
}

extension Node {
  /// The items of `include` or `join` that bring the nodes below into the request.
  fileprivate func items(prefix: String, isJoin: Bool) -> [String] {
    children.flatMap { child -> [String] in
      let path = prefix + child.key
      let name = child.key == child.association ? path : "\(child.key):\(prefix)\(child.association)"
      let levels = child.recursion.map { child.writesLevels ? "*\($0)" : "*" } ?? ""
      let item = name + levels + (child.isRequired ? "!" : "")
      let own = child.isIncluded != isJoin ? [item] : []
      return own + child.items(prefix: path + ".", isJoin: isJoin)
    }
  }

  fileprivate func parameters(prefix: String) -> [(name: String, value: String)] {
    var own: [(String, String)] = []
    func add(_ name: String, _ value: String) { own.append((prefix + name, value)) }
    if let fields {
      let items = fields.map { field in
        switch field {
        case .all: "*"
        case .named(let named): named.text
        }
      }
      add("fields", items.joined(separator: ","))
    }
    if let values { add("values", values.text) }
    if !annotations.isEmpty { add("annotate", annotations.map(\.text).joined(separator: ",")) }
    for filter in filters { add("filter", filter.text) }
    for having in havings { add("having", having.text) }
    if !group.isEmpty { add("group", group.map(\.text).joined(separator: ",")) }
    if let sort { add("sort", sort.map(\.text).joined(separator: ",")) }
    if let limit { add("limit", "\(limit)") }
    if let offset { add("offset", "\(offset)") }
    if isDistinct { add("distinct", "true") }
    return own + children.flatMap { $0.parameters(prefix: "\(prefix)\($0.key).") }
  }
}
