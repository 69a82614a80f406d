/// Why a server could not be started, or its certificates not be loaded.
public struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Code: String, Hashable, Sendable {
    /// The host has no address.
    case unknownHost
    /// Something else listens there.
    case addressInUse
    /// The address is not this machine's.
    case addressNotAvailable
    /// The process may not listen there.
    case notPermitted
    /// The system gave no socket.
    case system
    /// The certificate or its key can't be used.
    case certificate
    /// The server is running already.
    case alreadyStarted
  }

  /// What is wrong.
  public let code: Code

  /// What is wrong, where, and what to do, in a sentence or two.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
