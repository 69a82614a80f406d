extension HTTPConnection {
  /// The client of a connection.
  struct Client: Sendable {
    let address: ClientAddress
    let admission: ClientTable.Admission
    /// The numeric address and port.
    let peer: String
    /// The owner of the address itself, even of a proxy's.
    let own: ClientAddress
    /// Whether `Forwarded` tells whose requests the connection carries.
    let isTrustedProxy: Bool

    /// Returns a request of the client, or of whom a trusted proxy names.
    func request(
      _ head: HTTPRequestHead, _ content: [UInt8], isSecure: Bool, _ cancellation: HTTPCancellation,
      trusting proxies: TrustedProxies
    ) -> HTTPRequest {
      var request = HTTPRequest(
        method: head.method, target: head.target, version: head.version, headers: head.headers,
        body: content, peer: peer, isSecure: isSecure, cancellation: cancellation)
      request.client = own
      request.isForHTTPS = head.isForHTTPS
      if isTrustedProxy { request.takeForwarded(proxies) }
      return request
    }
  }
}
