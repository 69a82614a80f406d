import KindredHTTP
import Synchronization

/// The service that runs the queries of listeners: always the latest, whichever accepted them.
final class LiveServices: Sendable {
  /// Weak, because the service holds these.
  private struct Current {
    weak var service: LiveService?
  }

  private let current = Mutex(Current())
  private let latestNumber = Atomic(0)
  /// The number of the latest service; 0 without one.
  ///
  /// Each listener compares it for each event, for which a weak reference would be slow.
  private let currentNumber = Atomic(0)

  /// The latest service; nil before the first.
  var latest: LiveService? {
    get { current.withLock { $0.service } }
    set {
      current.withLock { $0.service = newValue }
      currentNumber.store(newValue?.number ?? 0, ordering: .releasing)
    }
  }

  /// Returns whether a service of this number is the latest.
  func isLatest(_ number: Int) -> Bool { currentNumber.load(ordering: .acquiring) == number }

  /// Returns a number that no other service has.
  func nextNumber() -> Int { latestNumber.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The credentials of a listener, which are verified again by each service that succeeds another.
final class LiveAuthorization: Sendable {
  private let principal: Principal
  /// A request with the same credentials.
  private let request: HTTPRequest
  private let services: LiveServices
  /// The number of the service that has verified the credentials.
  private let verifier: Atomic<Int>
  /// Whether they can be withdrawn without another service: by the removal of a key.
  private let dependsOnKey: Bool

  init(
    _ principal: Principal, of request: HTTPRequest, verifiedBy service: LiveService, _ services: LiveServices
  ) {
    self.principal = principal
    self.services = services
    var credentials = HTTPRequest(method: .get, target: "/")
    for field in request.headers.values(for: "Authorization") {
      credentials.headers.append("Authorization", field)
    }
    self.request = credentials
    if case .key? = principal.signer { dependsOnKey = true } else { dependsOnKey = false }
    verifier = Atomic(service.number)
  }

  /// Whether the credentials no longer give the rights with which the listener began.
  var isWithdrawn: Bool {
    if !dependsOnKey, services.isLatest(verifier.load(ordering: .relaxed)) { return false }
    guard let service = services.latest else { return false }
    if verifier.load(ordering: .relaxed) != service.number {
      guard let now = try? service.access.principal(of: request), now.rights == principal.rights,
        now.identity == principal.identity
      else { return true }
      verifier.store(service.number, ordering: .relaxed)
    }
    return service.access.isWithdrawn(principal)
  }
}
