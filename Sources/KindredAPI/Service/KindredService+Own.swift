import KindredAssociations
import KindredHTTP
import KindredSQLite
import OrderedCollections

extension KindredService {
  /// `/`: every resource, its columns, its associations, its link.
  func index(_ request: HTTPRequest) throws -> HTTPResponse {
    let type = try MediaType.negotiate(request.headers.values(for: "Accept"), among: MediaType.ofDocuments)
    let index = IndexDocument(model: try pool.withReader { try models.version(for: $0).model })
    return deliver(type == .html ? index.page : Representation(index.json), to: request)
  }

  /// A page under `/-/`.
  func ownPage(_ name: String, _ request: HTTPRequest) throws -> HTTPResponse {
    switch name {
    case "health":
      return deliver(Representation(["status": "ok"]), to: request)
    case "errors":
      return deliver(
        Representation(
          .array(
            ErrorDescription.all.map {
              ["code": .string($0.code), "title": .string($0.title), "description": .string($0.text)]
            })), to: request)
    default:
      throw RequestError(.notFound, "there is nothing at /-/\(name)")
    }
  }
}
