import KindredHTTP
import KindredRequests

/// A request or notification of JSON-RPC 2.0 (<https://www.jsonrpc.org/specification>), as the Model Context Protocol
/// uses it: one in each message.
package struct MCPMessage {
  /// The ID as the client wrote it; nil for a notification.
  package let id: JSONValue?
  package let method: String
  private let document: JSONDocument
  private let parameters: JSONDocument.Node?

  /// - Throws: `MCPError`
  package init(_ bytes: [UInt8]) throws {
    do {
      document = try JSONDocumentParser.parse(bytes)
    } catch let error as JSONDocumentParser.SyntaxError {
      throw MCPError(.parseError, "the message is not valid JSON: \(error.message)")
    }
    guard document.root["jsonrpc"]?.string == "2.0", let method = document.root["method"]?.string else {
      throw MCPError(.invalidRequest, "the message must be one request or notification of JSON-RPC 2.0")
    }
    self.method = method
    parameters = document.root["params"]
    id = try document.root["id"].map { [document] id in
      switch id.content {
      case .string, .number: return .text(Array(document.bytes[id.range]))
      case .null, .boolean, .array, .object:
        throw MCPError(.invalidRequest, "the `id` must be a string or a number")
      }
    }
  }

  /// Returns the parameter at a path of names.
  package subscript(path: String...) -> JSONDocument.Node? {
    path.reduce(parameters) { node, name in node?[name] }
  }

  /// Returns a value as the client wrote it.
  package func bytes(of node: JSONDocument.Node) -> [UInt8] { Array(document.bytes[node.range]) }
}

/// An error of the protocol (JSON-RPC 2.0 §5.1); what a tool can't do is a result instead.
package struct MCPError: Error {
  package enum Code: Int64 {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParameters = -32602
    case headerMismatch = -32020
    case unsupportedVersion = -32022
  }

  package let code: Code
  package let message: String
  package var data: JSONValue?

  package init(_ code: Code, _ message: String, data: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  package var json: JSONValue {
    ["code": .integer(code.rawValue), "message": .string(message), "data": data]
  }

  /// Returns the status of the HTTP response.
  ///
  /// - Parameter revision: The revision of the request; nil if it isn't known.
  package func status(in revision: MCPRevision?) -> HTTPStatus {
    switch code {
    case .parseError, .invalidRequest, .headerMismatch, .unsupportedVersion: .badRequest
    case .methodNotFound: revision == .stateless ? .notFound : .ok
    case .invalidParameters: revision == .stateless ? .badRequest : .ok
    }
  }
}
