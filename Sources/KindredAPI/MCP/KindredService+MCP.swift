import KindredBackend
import KindredHTTP

extension KindredService {
  /// Returns the reply to a message of the Model Context Protocol that came over standard input; nil for a notification.
  ///
  /// Call it only on a service whose requests need no credentials (`Options.impersonated`).
  public func reply(toMessage message: [UInt8]) -> [UInt8]? {
    let request = HTTPRequest(method: .post, target: "/-/mcp", body: message)
    var timing = RequestTiming(isOn: false)
    let response: HTTPResponse
    do {
      let exchange = MCPExchange(
        service: self, request: request, principal: try access.principal(of: request), readers: .waiting,
        isOverHTTP: false)
      response = try exchange.answer(&timing).wait()
    } catch {
      response = problems.response(to: error, of: request)
    }
    guard case .bytes(let bytes) = response.body else { return nil }
    return bytes
  }
}
