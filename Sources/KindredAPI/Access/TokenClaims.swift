import KindredModel
import KindredCryptography
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// The claims of a token (RFC 7519 §4).
struct TokenClaims {
  private let document: JSONDocument
  private let members: [JSONDocument.Member]

  /// - Throws: `TokenRefusal` if the bytes aren't a JSON object, or a name occurs twice (§4).
  init(_ bytes: [UInt8]) throws {
    guard let document = try? JSONDocumentParser.parse(bytes),
      case .object(let members) = document.root.content
    else { throw TokenRefusal("its claims are not a JSON object, or contain a name twice") }
    self.document = document
    self.members = members
  }

  /// The value of a top-level member, or nil if it is absent.
  subscript(_ name: String) -> JSONDocument.Node? { members.first { $0.name.hasBytes(of: name) }?.value }

  /// Returns the number in a claim, or nil if the claim is absent.
  ///
  /// - Throws: `TokenRefusal` if the claim isn't a number.
  func number(_ name: String) throws -> Double? {
    guard let node = self[name] else { return nil }
    guard case .number = node.content, let number = Double(document.text(of: node)), number.isFinite else {
      throw TokenRefusal("`\(name)` is not a number")
    }
    return number
  }

  /// When the token expires, in seconds since 1970.
  var expiry: Double? { (try? number("exp")) ?? nil }

  /// Returns the text of a claim, or nil if it isn't a text.
  func text(_ name: String) -> String? { self[name]?.string }

  /// Returns the texts of a claim that is a text or a list of texts.
  func texts(_ name: String) -> [String] { self[name].map(Self.texts) ?? [] }

  private static func texts(_ node: JSONDocument.Node) -> [String] {
    switch node.content {
    case .string(let text): [text]
    case .array(let elements): elements.compactMap(\.string)
    case .null, .boolean, .number, .object: []
    }
  }

  /// Returns the roles in the claim at this path, whose dots descend into objects; names that contain dots take
  /// precedence.
  func roles(at path: String) -> NameSet { NameSet(Self.node(at: path, in: members).map(Self.texts) ?? []) }

  private static func node(at path: String, in members: [JSONDocument.Member]) -> JSONDocument.Node? {
    if let found = members.first(where: { $0.name.hasBytes(of: path) }) { return found.value }
    for member in members where path.hasPrefix(member.name + ".") {
      guard case .object(let inner) = member.value.content else { continue }
      let rest = String(path.dropFirst(member.name.count + 1))
      if let found = node(at: rest, in: inner) { return found }
    }
    return nil
  }

  /// The claims as received, a JSON object.
  var text: String { document.text(of: document.root) }

  /// Returns the text at a path, whose dots descend into objects, or nil if there is none.
  ///
  /// - Throws: `TokenRefusal` if the value isn't a text.
  func name(at path: String) throws -> String? {
    guard let node = Self.node(at: path, in: members) else { return nil }
    switch node.content {
    case .string(let text): return text
    case .null: return nil
    case .boolean, .number, .array, .object: throw TokenRefusal("`\(path)` is not a string")
    }
  }

  /// Returns the claims of these names as values of expressions, omitting absent ones.
  func values(named names: Set<String>) -> [String: Claim] {
    var values: [String: Claim] = [:]
    for name in names {
      if let node = Self.node(at: name, in: members) {
        values[name] = Claim(value(of: node), document: document.text(of: node))
      }
    }
    return values
  }

  private func value(of node: JSONDocument.Node) -> SQLValue {
    switch node.content {
    case .null: return .null
    case .boolean(let value): return .integer(value ? 1 : 0)
    case .string(let text): return .text(text)
    case .number:
      let text = document.text(of: node)
      return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) } ?? .null
    // As JSON text, for `json_extract`.
    case .array, .object: return .text(document.text(of: node))
    }
  }

  /// The claims that each token has anew, even for the same bearer with the same rights.
  private static let namesOfToken = ["exp", "nbf", "iat", "jti", "auth_time", "sid", "session_state"]

  /// Returns the text of the claims that a renewed token has, too, in an order of their own.
  static func lastingText(of claims: String) -> String {
    (try? TokenClaims(Array(claims.utf8)))?.lastingText ?? claims
  }

  private var lastingText: String {
    Self.sortedText(of: members.filter { !Self.namesOfToken.containsExactly($0.name) }, in: document)
  }

  private static func sortedText(of members: [JSONDocument.Member], in document: JSONDocument) -> String {
    let texts = members.sorted { $0.name < $1.name }.map { member in
      "\(member.name.utf8.count) \(member.name) \(sortedText(of: member.value, in: document))"
    }
    return "{\(texts.joined(separator: ","))}"
  }

  private static func sortedText(of node: JSONDocument.Node, in document: JSONDocument) -> String {
    switch node.content {
    case .array(let elements):
      "[\(elements.map { sortedText(of: $0, in: document) }.sorted().joined(separator: ","))]"
    case .object(let members): sortedText(of: members, in: document)
    case .null, .boolean, .number, .string: document.text(of: node)
    }
  }

  /// Returns the text of a JSON document in which the order of elements and members means nothing.
  static func sortedText(_ json: String) -> String {
    guard let document = try? JSONDocumentParser.parse(Array(json.utf8)) else { return json }
    return sortedText(of: document.root, in: document)
  }

  /// Identifies the subject: by its issuer and name, or by the claims that a renewed token has, too, if there is no
  /// subject.
  var identity: [UInt8] {
    guard let subject = self["sub"], subject.content.isName else {
      return HashFunction.sha256.digest(of: Array(lastingText.utf8))
    }
    let issuer = self["iss"].map(document.text) ?? ""
    return HashFunction.sha256.digest(of: Array("\(issuer) \(document.text(of: subject))".utf8))
  }
}

extension JSONDocument.Content {
  /// Whether the value can identify a subject.
  fileprivate var isName: Bool {
    switch self {
    case .string, .number: true
    case .null, .boolean, .array, .object: false
    }
  }
}

/// Why a token is refused.
struct TokenRefusal: Error {
  let message: String
  /// Whether the token may be accepted shortly.
  var isTemporary = false

  init(_ message: String, isTemporary: Bool = false) {
    self.message = "the token is not valid: \(message)"
    self.isTemporary = isTemporary
  }
}
