import KindredHTTP
import KindredRequests

extension KindredService {
  /// Returns the reply to a message of the Model Context Protocol that came over standard input; nil for a notification.
  ///
  /// Call it only on a service whose requests need no credentials (`Options.impersonated`).
  public func reply(toMessage message: [UInt8]) -> [UInt8]? {
    let request = HTTPRequest(method: .post, target: "/-/mcp", body: message)
    let response: HTTPResponse
    do {
      var asked = RequestContext(request, at: .mcp, by: try context.access.principal(of: request))
      let exchange = MCPExchange(service: self, asked: asked, isOverHTTP: false)
      response = try exchange.answer(&asked.timing).wait()
    } catch {
      response = context.problems.response(to: error, of: request)
    }
    guard case .bytes(let bytes) = response.body else { return nil }
    return bytes
  }
}
