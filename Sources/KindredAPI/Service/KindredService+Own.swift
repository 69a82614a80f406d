import KindredAssociations
import KindredHTTP
import KindredSQLite
import OrderedCollections

extension KindredService {
  /// `/`: every resource, its columns, its associations, its link.
  func index(_ request: HTTPRequest) throws -> HTTPResponse {
    let type = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json, .html])
    let model = try pool.withReader { try models.version(for: $0).model }
    guard type == .html else { return Self.document(IndexDocument(model: model).json) }
    return HTTPResponse(
      status: .ok, headers: ["Content-Type": "text/html; charset=utf-8", "Vary": "Accept"],
      body: .bytes(Array(IndexDocument(model: model).html.utf8)))
  }

  /// A page under `/-/`.
  func ownPage(_ name: String, _ request: HTTPRequest) throws -> HTTPResponse {
    switch name {
    case "health":
      return HTTPResponse(
        status: .ok, headers: ["Content-Type": MediaType.json.rawValue, "Cache-Control": "no-store"],
        body: .bytes(Array(#"{"status":"ok"}"#.utf8)))
    case "errors":
      return Self.document(
        .array(
          ErrorDescription.all.map {
            ["code": .string($0.code), "title": .string($0.title), "description": .string($0.text)]
          }))
    default:
      throw RequestError(.notFound, "there is nothing at /-/\(name)")
    }
  }
}
