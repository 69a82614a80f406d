import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("What was answered or planned for one is not another's")
struct AccessReplayTests {
  @Test
  func `a key of the same client with other rights is refused, and renewed tokens are one client`() throws {
    let database = try AccessFixture.database()
    func post(_ claims: String) throws -> Answer {
      try database.send(
        .post, "/books", #"{"authorId":1,"title":"T"}"#,
        headers: AccessFixture.bearer(claims).with("Idempotency-Key", "\"k\""))
    }
    let editor = try post(#"{"role":"editor","sub":1}"#)
    #expect(editor.text.contains("price"))
    let reader = try post(#"{"role":"reader","sub":1}"#)
    #expect(reader.status == 409)
    #expect(!reader.text.contains("price"))
    #expect(try post(#"{"role":"editor","sub":1}"#).text == editor.text)
    let nobody = try post(#"{"role":"editor","sub":null,"jti":"a"}"#)
    #expect(nobody.status == 201 && nobody.text != editor.text)
    #expect(try post(#"{"role":"editor","sub":null,"jti":"b"}"#).text == nobody.text)
    #expect(try post(#"{"role":"editor","sub":null,"name":"c"}"#).text != nobody.text)
  }

  @Test
  func `a parameter that holds what stands between others is none of them`() throws {
    let database = try Library.writable()
    func status(_ query: String) throws -> Int {
      try database.send(.post, "/authors?\(query)", #"{"name":"N"}"#).status
    }
    #expect(try status("include=books&fields=id") == 201)
    #expect(try status("include=books%00fields=id") == 400)
  }

  @Test
  func `content that nothing here takes is refused before it is sent`() throws {
    let database = try AccessFixture.database()
    let headers: HTTPHeaders = ["Content-Type": "text/csv", "Content-Length": "1000000000"]
    for (target, status) in [
      ("/-/batch", 415), ("/", 405), ("/-/health", 405), ("/-/none", 404), ("/books", 401),
    ] {
      let request = HTTPRequest(method: .post, target: target, headers: headers)
      #expect(database.service.rejection(of: request)?.status.code == status, "\(target)")
    }
    let batch = HTTPRequest(
      method: .post, target: "/-/batch", headers: ["Content-Type": "application/json"])
    #expect(database.service.rejection(of: batch) == nil)
  }
}
