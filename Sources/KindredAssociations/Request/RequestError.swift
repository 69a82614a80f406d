/// What is wrong with a request, and the mend.
public struct RequestError: Error, Sendable {
  /// What kind of error it is; the raw value is the code that clients get.
  public enum Code: String, Sendable, CaseIterable {
    case unknownResource = "unknown-resource"
    case unknownAssociation = "unknown-association"
    case unknownParameter = "unknown-parameter"
    case unknownColumn = "unknown-column"
    case unknownFunction = "unknown-function"
    case unknownNode = "unknown-node"
    case invalidEncoding = "invalid-encoding"
    case invalidExpression = "invalid-expression"
    case invalidValue = "invalid-value"
    case invalidKey = "invalid-key"
    case duplicateName = "duplicate-name"
    case missingName = "missing-name"
    case limitExceeded = "limit-exceeded"
    case notFound = "not-found"
    /// It is there, and not for who asks.
    case forbidden
  }

  /// What kind of error it is.
  public var code: Code
  /// A sentence that names what is wrong and how to mend it.
  public var message: String
  /// Where the request is wrong; nil where no parameter is to blame.
  public var origin: Origin?
  /// The nearest existing names, the nearest first.
  public var suggestions: [String]

  /// An error, with the names that may have been meant.
  public init(_ code: Code, _ message: String, at origin: Origin? = nil, suggestions: [String] = []) {
    self.code = code
    self.message = message
    self.origin = origin
    self.suggestions = suggestions
  }

  /// The same error with another name that may have been meant, and how to write it, in the message.
  func adding(_ hint: String, suggestion: String) -> RequestError {
    var error = self
    error.message += error.suggestions.isEmpty ? ": \(hint)" : " Or \(hint)"
    error.suggestions.append(suggestion)
    return error
  }

  /// A name that does not exist: the message ends with the nearest one that does.
  ///
  /// - Parameters:
  ///   - shown: how a suggestion is written: as what would stand in place of the name.
  ///   - names: those that exist.
  public static func unknown(
    _ name: String, _ code: Code, _ message: String, among names: some Sequence<String>,
    at origin: Origin? = nil,
    shown: (String) -> String = { $0 }
  ) -> RequestError {
    let suggestions = NameSuggestion.nearest(to: name, among: names).map(shown)
    let mend = suggestions.first.map { ": did you mean `\($0)`?" } ?? ""
    return RequestError(code, message + mend, at: origin, suggestions: suggestions)
  }
}

extension RequestError {
  /// What is there and not for the roles of the client.
  public static func forbidden(_ name: String, at origin: Origin? = nil) -> RequestError {
    RequestError(.forbidden, "`\(name)` needs another role", at: origin)
  }
}

extension RequestError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
