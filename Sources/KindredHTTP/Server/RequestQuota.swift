/// Counts the requests of one connection: for the principal whose credentials they have, or else for the address.
struct RequestQuota: ~Copyable {
  private let client: HTTPConnection.Client
  private let context: ConnectionContext
  /// The hash of the latest valid credentials, and their principal.
  private var known: (field: Int, principal: [UInt8])?
  /// The client for which the request in progress is counted; nil if that is the address of the connection.
  private var holder: ClientKey?

  init(_ client: HTTPConnection.Client, _ context: ConnectionContext) {
    self.client = client
    self.context = context
  }

  /// Counts a request until `end` is called; returns the limit that it exceeds, if any.
  mutating func refusal(of request: HTTPRequest) -> HTTPError? {
    if case .reserve(let error) = client.admission {
      return context.handler.isExempt(request) ? nil : error
    }
    guard context.clients.hasLimitsPerClient, !context.handler.isExempt(request) else { return nil }
    let refusal = count(request)
    if refusal != nil { context.counters.throttledRequests.increase() }
    return refusal
  }

  private mutating func count(_ request: HTTPRequest) -> HTTPError? {
    guard let field = request.headers["Authorization"]?.hashValue else {
      return countForAddress(request)
    }
    if let known, known.field == field { return count(for: .principal(known.principal)) }
    if let principal = context.handler.identity(of: request, verifying: false) {
      known = (field, principal)
      return count(for: .principal(principal))
    }
    // Verification takes time, so the address's limit applies to credentials that turn out invalid.
    if let refusal = countForAddress(request) { return refusal }
    guard let principal = context.handler.identity(of: request, verifying: true) else { return nil }
    known = (field, principal)
    context.clients.returnRequest(of: holder ?? .address(client.address))
    end()
    return count(for: .principal(principal))
  }

  private mutating func countForAddress(_ request: HTTPRequest) -> HTTPError? {
    if client.isTrustedProxy, let address = request.client { return count(for: .forwarded(address)) }
    return context.clients.mayRequest(client.address, now: .now) ? nil : .tooManyRequests
  }

  private mutating func count(for key: ClientKey) -> HTTPError? {
    let refusal = context.clients.beginRequest(of: key, now: .now)
    if refusal == nil { holder = key }
    return refusal
  }

  /// Ends the request in progress.
  mutating func end() {
    guard let holder else { return }
    context.clients.endRequest(of: holder)
    self.holder = nil
  }
}
