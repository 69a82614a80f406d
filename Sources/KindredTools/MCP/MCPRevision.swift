import KindredHTTP
import KindredRequests

/// A revision of the Model Context Protocol (<https://modelcontextprotocol.io/specification>).
package enum MCPRevision: String, CaseIterable {
  /// Each request has its revision and the client's capabilities with it.
  case stateless = "2026-07-28"
  // `initialize` agrees on one of these, of which later requests only have the name. What is used here is the same in all.
  case november2025 = "2025-11-25"
  case june2025 = "2025-06-18"
  case march2025 = "2025-03-26"
  case november2024 = "2024-11-05"

  /// Whether `initialize` agrees on it.
  package var isHandshake: Bool { self != .stateless }

  /// The latest that `initialize` agrees on.
  package static let handshake = november2025

  /// Returns the revision on which a handshake agrees: the one that the client offers, or the latest.
  package static func agreed(on message: MCPMessage) -> MCPRevision {
    let offered = message["protocolVersion"]?.string.flatMap(Self.init)
    return offered.flatMap { $0.isHandshake ? $0 : nil } ?? handshake
  }

  private static let field = "MCP-Protocol-Version"
  private static let versionKey = "io.modelcontextprotocol/protocolVersion"
  private static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
  /// The parameter that `Mcp-Name` repeats, by method.
  private static let named = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]

  /// Returns the revision of a request.
  ///
  /// - Parameter headers: The header fields; nil over standard input.
  /// - Throws: `MCPError` if it is none of these, or the header fields contradict the message.
  package init(of message: MCPMessage, headers: HTTPHeaders?) throws {
    let written = message["_meta", Self.versionKey]
    let fields = headers?.values(for: Self.field) ?? []
    let isStateless = written != nil || fields.contains(Self.stateless.rawValue)
    // `initialize` exists only in earlier revisions, and may offer any of them.
    if message.method == "initialize" {
      self = .handshake
      return
    }
    guard isStateless else {
      self = try Self.known(fields.first ?? Self.handshake.rawValue)
      return
    }
    guard message.id != nil else {
      // A notification has nothing that must be repeated.
      self = .stateless
      return
    }
    guard let written, message["_meta", Self.capabilitiesKey] != nil else {
      throw MCPError(
        .invalidParameters, "`params._meta` must have `\(Self.versionKey)` and `\(Self.capabilitiesKey)`")
    }
    if let headers {
      try Self.check(headers, Self.field, equals: written.string)
      try Self.check(headers, "Mcp-Method", equals: message.method)
      if let parameter = Self.named[message.method], let name = message[parameter]?.string {
        try Self.check(headers, "Mcp-Name", equals: name)
      }
    }
    guard let version = written.string else {
      throw MCPError(.invalidParameters, "`\(Self.versionKey)` must be a string")
    }
    self = try Self.known(version)
  }

  private static func known(_ version: String) throws -> MCPRevision {
    if let revision = Self(rawValue: version) { return revision }
    throw MCPError(
      .unsupportedVersion, "the revision \(version) is not supported",
      data: ["supported": JSONValue(strings: allCases.map(\.rawValue)), "requested": .string(version)])
  }

  private static func check(_ headers: HTTPHeaders, _ name: String, equals value: String?) throws {
    let values = headers.values(for: name)
    guard values.count == 1, let value, decoded(values[0]) == value else {
      throw MCPError(.headerMismatch, "`\(name)` must be sent once, and equal what the message says")
    }
  }

  /// Returns the value of a field, which is base64 where it isn't plain ASCII: `=?base64?4oKs?=`.
  private static func decoded(_ field: String) -> String? {
    guard field.hasPrefix("=?base64?"), field.hasSuffix("?=") else { return field }
    let bytes = Base64.decode(String(field.dropFirst("=?base64?".count).dropLast(2)))
    return bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }
}
