import KindredModel
import KindredPlanning
import KindredHTTP
import Synchronization
import KindredRequests

/// A service whose model and credentials can be replaced while it answers.
///
/// A request is answered to its end by the service that has its content. Listeners stay connected as long as their
/// credentials give them the same rights; their queries run again, with the new model.
public final class ReloadableService: HTTPHandler {
  private let current: Mutex<KindredService>

  /// Creates a service that answers as another one does, until it is replaced.
  public init(_ service: KindredService) {
    current = Mutex(service)
  }

  private var service: KindredService { current.withLock { $0 } }

  /// Answers with another model and other credentials from now on.
  ///
  /// - Throws: What makes either unusable; the previous ones then stay in use.
  public func reload(
    access: AccessConfiguration?, model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws {
    let successor = try service.successor(access: access, model: model)
    current.withLock { $0 = successor }
    successor.succeed()
  }

  /// What everybody may do without credentials, one line each, for the log of a server that has started.
  public var notices: [String] { service.notices }

  /// Returns the answer to any request.
  public func answer(_ request: consuming HTTPRequest) -> HTTPAnswer { service.answer(request) }

  /// Returns the problem for a request that the HTTP layer refuses.
  public func response(to error: HTTPError, from peer: String?) -> HTTPResponse {
    service.response(to: error, from: peer)
  }

  /// Decides about a request with content by its head.
  ///
  /// If the service is replaced while the content arrives, its successor decides anew: credentials may have been
  /// withdrawn, and rules narrowed.
  public func consider(_ request: HTTPRequest) -> HTTPDecision {
    let first = service
    let decision = first.consider(request)
    guard case .receive(let isLong, let answer) = decision else { return decision }
    return .receive(isLong: isLong) { [self] request in
      let current = service
      return current === first ? answer(request) : current.answer(request)
    }
  }

  /// Exempts health checks from the limits on connections and requests.
  public func isExempt(_ request: HTTPRequest) -> Bool { service.isExempt(request) }

  /// Returns what identifies the client by its credentials, or nil without valid ones.
  public func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? {
    service.identity(of: request, verifying: verifying)
  }
}
