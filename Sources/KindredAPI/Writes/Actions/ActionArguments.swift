import KindredModel
import KindredHTTP
import KindredSQLSyntax
import KindredOutput
import KindredRequests

/// The values of an action's parameters: those of the content, its defaults, and the claims of the client.
struct ActionArguments {
  /// One value for each parameter, in their order.
  let values: [SQLValue]

  /// - Throws: `Problem` or `RequestError` for content that isn't an object of the parameters' values; `RequestError`
  ///   (401 or 403) without a claim that is required, or with one of another type.
  init(_ action: Action, _ request: HTTPRequest, by principal: Principal) throws {
    let document = request.hasContent ? try WriteContent.document(of: request) : nil
    var members: [JSONDocument.Member] = []
    if let document {
      guard case .object(let found) = document.root.content else {
        throw RequestError(
          .invalidValue, "the content must be an object with the parameters of `\(action.name)`")
      }
      members = found
    }
    let names = action.contentParameters.map(\.name)
    for member in members where !names.contains(where: { $0.hasBytes(of: member.name) }) {
      let name = String(member.name.unicodeScalars.prefix(100))
      throw Problem(
        RequestError.unknown(
          name, .unknownParameter, "`\(action.name)` has no parameter `\(name)`", among: names),
        at: JSONPointer() + name)
    }
    values = try action.parameters.map { parameter in
      if let claim = parameter.claim {
        return try Self.value(of: claim, for: parameter, of: action, principal)
      }
      guard let document, let member = members.first(where: { $0.name.hasBytes(of: parameter.name) }) else {
        if let value = parameter.defaultValue { return value }
        throw RequestError(
          .missingParameter,
          "`\(parameter.name)` (\(parameter.kind.rawValue)) is missing; it must be \(parameter.kind.form)")
      }
      guard let value = document.value(of: member.value, as: parameter.kind) else {
        throw Problem(
          RequestError(
            .invalidValue,
            "`\(parameter.name)` (\(parameter.kind.rawValue)) must be \(parameter.kind.form), or null"),
          at: JSONPointer() + parameter.name)
      }
      return value
    }
  }

  /// Returns the value of a claim, which is NULL where the client has none.
  private static func value(
    of claim: String, for parameter: ActionParameter, of action: Action, _ principal: Principal
  ) throws -> SQLValue {
    guard let found = principal.claims[claim], found.value != .null else {
      guard !parameter.isRequired else { throw RequestError.forbidden(action.name) }
      return .null
    }
    guard let json = found.document, let document = try? WriteContent.document(Array(json.utf8)) else {
      return found.value
    }
    if let value = document.value(of: document.root, as: parameter.kind) { return value }
    switch (parameter.kind, document.root.content) {
    case (.text, .number), (.text, .boolean): return .text(document.text(of: document.root))
    default:
      throw RequestError(
        .forbidden, "the claim `\(claim)` is no value of `\(parameter.name)` (\(parameter.kind.rawValue))")
    }
  }
}

extension Problem {
  /// Creates the problem of an error at a place in the content.
  fileprivate init(_ error: RequestError, at pointer: JSONPointer) {
    self.init(error)
    self.pointer = pointer.fragment
  }
}

extension JSONDocument {
  /// Returns a value for a parameter of this type; nil if it is none.
  fileprivate func value(of node: Node, as kind: ActionParameter.Kind) -> SQLValue? {
    if case .null = node.content { return .null }
    switch (kind, node.content) {
    case (.json, _): return .text(text(of: node))
    case (.text, .string(let text)): return QueryParameter.Kind.text.value(of: text)
    case (.integer, .number): return QueryParameter.Kind.integer.value(of: text(of: node))
    case (.real, .number): return QueryParameter.Kind.real.value(of: text(of: node))
    case (.boolean, .boolean(let value)): return .integer(value ? 1 : 0)
    default: return nil
    }
  }
}
