import KindredHTTP
import KindredModelFile
import KindredPlanning
import Testing

@testable import KindredAPI

@Suite("A service that is replaced while it answers")
struct ReloadableServiceTests {
  private let library: TestDatabase
  private let service: ReloadableService

  init() throws {
    library = try AccessFixture.database()
    service = ReloadableService(library.service)
  }

  /// Sends the head of a request with content, lets `change` happen, and then sends the content.
  private func post(
    _ target: String, _ content: String, by headers: HTTPHeaders, whereupon change: () throws -> Void
  ) throws -> Answer {
    var headers = headers
    headers.append("Content-Type", "application/json")
    var request = HTTPRequest(method: .post, target: target, headers: headers)
    guard case .receive(_, let answer) = service.consider(request) else { throw Refused() }
    try change()
    request.body = Array(content.utf8)
    return try Answer(answer(request).wait())
  }

  private struct Refused: Error {}

  private func reload(
    _ text: String = AccessFixture.model, change: (inout AccessConfiguration) -> Void = { _ in }
  ) throws {
    var access = AccessFixture.configuration
    change(&access)
    let file = try ModelFileParser(path: "model.yaml").parse(text)
    try service.reload(access: access) { try file.model(of: $0) }
  }

  private let keyHolder: HTTPHeaders = ["Authorization": "Bearer the-key-of-a-reader"]

  @Test
  func `a key that is withdrawn while the content arrives writes nothing`() throws {
    let answer = try post("/tags", #"{"name":"new"}"#, by: keyHolder) { try reload { $0.keys = [] } }
    #expect(answer.status == 401)
    #expect(try library.stored("SELECT count(*) FROM tag WHERE name = 'new'") == "0")
  }

  @Test
  func `a permission that is withdrawn while the content arrives permits nothing`() throws {
    let narrowed = AccessFixture.model.replacing(
      "create: { roles: [editor, reader] }", with: "create: { roles: [editor] }")
    let answer = try post("/tags", #"{"name":"new"}"#, by: keyHolder) { try reload(narrowed) }
    #expect(answer.status == 403)
    #expect(try library.stored("SELECT count(*) FROM tag WHERE name = 'new'") == "0")
  }

  @Test
  func `a key and a permission that stay are enough`() throws {
    let answer = try post("/tags", #"{"name":"new"}"#, by: keyHolder) { try reload() }
    #expect(answer.status == 201)
    #expect(try library.stored("SELECT count(*) FROM tag WHERE name = 'new'") == "1")
  }
}
