/// An error in starting a server or loading its certificate.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error.
  public enum Code: String, Hashable, Sendable {
    /// The host has no address.
    case unknownHost
    /// Another process listens there.
    case addressInUse
    /// The address isn't one of this machine's.
    case addressNotAvailable
    /// The process may not listen there.
    case notPermitted
    /// A system call failed.
    case system
    /// The certificate or its key can't be used.
    case certificate
    /// The server is running already.
    case alreadyStarted
  }

  /// The kind of error.
  public let code: Code

  /// One or two sentences that say what is wrong, where, and what to do.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
