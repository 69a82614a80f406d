/// An error in a request, with a suggested fix.
public struct RequestError: Error, Sendable {
  /// The kinds of errors; the raw value is the code that clients receive.
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
    case missingParameter = "missing-parameter"
    case limitExceeded = "limit-exceeded"
    case notFound = "not-found"
    /// The engine of the database can't compute it, for whatever values.
    case unsupportedByEngine = "unsupported-by-engine"
    /// It exists, but the client isn't allowed to access it.
    case forbidden
  }

  /// The kind of error.
  public var code: Code
  /// A sentence that describes the error and how to fix it.
  public var message: String
  /// The place of the error in the request; nil if no parameter caused it.
  public var origin: Origin?
  /// Existing names that may have been meant, the nearest first.
  public var suggestions: [String]
  /// The name of the resource to which the client has no access, for the log and never for the client; nil for other
  /// errors.
  public var deniedResource: String?
  /// What the operator of the database can do about it; nil if that is nothing.
  public var hint: String?

  /// Creates an error, with the names that may have been meant.
  public init(_ code: Code, _ message: String, at origin: Origin? = nil, suggestions: [String] = []) {
    self.code = code
    self.message = message
    self.origin = origin
    self.suggestions = suggestions
  }

  /// Returns the error with another suggestion, and a hint about it appended to the message.
  package func adding(_ hint: String, suggestion: String) -> RequestError {
    var error = self
    error.message += error.suggestions.isEmpty ? "; \(hint)" : " Or \(hint)"
    error.suggestions.append(suggestion)
    return error
  }

  /// Returns the error with one suggestion, which its message has already.
  func suggesting(_ text: String) -> RequestError {
    var error = self
    error.suggestions = [text]
    return error
  }

  /// Returns the error of an unknown name, whose message ends with the nearest existing one.
  ///
  /// - Parameters:
  ///   - names: The existing names.
  ///   - shown: Returns the text that replaces the unknown name, for a suggested name.
  public static func unknown(
    _ name: String, _ code: Code, _ message: String, among names: some Sequence<String>,
    at origin: Origin? = nil, shown: (String) -> String = { $0 }
  ) -> RequestError {
    let suggestions = NameSuggestion.nearest(to: name, among: names).map(shown)
    let fix = suggestions.first.map { "; did you mean `\($0)`?" } ?? ""
    return RequestError(code, message + fix, at: origin, suggestions: suggestions)
  }
}

extension RequestError {
  /// Returns the error of something that exists, but that the roles of the client may not access.
  ///
  /// - Parameter resource: The name of the resource, if it is one or an association leads to it.
  public static func forbidden(
    _ name: String, of resource: String? = nil, at origin: Origin? = nil
  ) -> RequestError {
    var error = RequestError(.forbidden, "`\(name)` requires another role", at: origin)
    error.deniedResource = resource
    return error
  }

  /// The error of a join table that the roles of the client may not write, and whose name they may not know.
  public static let forbiddenLink = RequestError(.forbidden, "linking these records requires another role")

  /// Returns the error of a record that the roles of the client may not write, although they may write others.
  public static func refusedByRules(of resource: String) -> RequestError {
    RequestError(.forbidden, "the rules for `\(resource)` don't allow this")
  }
}

extension RequestError {
  /// Returns the error of a part of a request that the database can't compute over its shards.
  ///
  /// - Parameter proposal: Another form of the request.
  public static func unsupported(
    _ subject: String, _ proposal: String, at origin: Origin? = nil
  ) -> RequestError {
    RequestError(
      .unsupportedByEngine, "the database can't compute \(subject) over its shards; \(proposal)", at: origin)
  }
}

extension RequestError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
