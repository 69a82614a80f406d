import Testing

@testable import KindredHTTP

@Suite("Messages")
struct MessageTests {
  @Test
  func `find fields whatever their case, in their order (RFC 9110 §5.1, §5.3)`() {
    let headers: HTTPHeaders = ["Accept": "a", "X": "b", "accept": "c"]
    #expect(headers["ACCEPT"] == "a")
    #expect(headers.values(for: "Accept") == ["a", "c"])
    #expect(headers["Accep"] == nil)
    #expect(headers.map(\.name) == ["Accept", "X", "accept"])
  }

  @Test
  func `tell the only field of a name from several`() {
    let headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    #expect(headers.withBytes(of: "a") { $0.count } == 1)
    #expect(headers.withBytes(ofOnly: "a") { $0.count } == nil)
    #expect(headers.withBytes(ofOnly: "b") { $0.first } == UInt8(ascii: "2"))
  }

  @Test
  func `take over the fields of others`() {
    var headers: HTTPHeaders = ["A": "1"]
    headers.append(contentsOf: ["B": "2", "a": ""])
    #expect(headers.map(\.name) == ["A", "B", "a"])
    #expect(headers.map(\.value) == ["1", "2", ""])
    #expect(headers.count == 3)
  }

  @Test
  func `change fields`() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
    headers.set("a", "4")
    #expect(headers.map(\.value) == ["2", "4"])
    headers.remove("b")
    #expect(headers.count == 1)
    #expect(headers["a"] == "4")
  }

  @Test(arguments: ["", "a b", "a:", "ä", "a\r\n"])
  func `take no field name that isn't a token (RFC 9110 §5.1)`(name: String) {
    var headers = HTTPHeaders()
    let appended = headers.append(name, "x")
    let set = headers.set(name, "x")
    #expect(!appended && !set && headers.count == 0)
  }

  @Test
  func `let no value end its field or the head (RFC 9110 §5.5)`() {
    let headers: HTTPHeaders = ["X": "a\r\nSet-Cookie: b\r\n\r\n\u{0}c\td"]
    #expect(headers["X"] == "a  Set-Cookie: b     c\td")
  }

  @Test
  func `let no control character into a value, wherever it stands (RFC 9110 §5.5)`() {
    for byte in UInt8.min...0x7F {
      let character = String(UnicodeScalar(byte))
      let isAllowed = byte >= 0x20 && byte != 0x7F || byte == 0x09
      for position in 0..<40 {
        let start = String(repeating: "é", count: position / 2) + String(repeating: "a", count: position % 2)
        let headers: HTTPHeaders = ["X": start + character + "z"]
        #expect(headers["X"] == start + (isAllowed ? character : " ") + "z")
      }
    }
  }

  @Test(arguments: [("/a?b?c", "/a", "b?c"), ("/a?", "/a", "")])
  func `split targets into path and query`(target: String, path: String, query: String) {
    let request = HTTPRequest(method: .get, target: target)
    #expect(request.path == path)
    #expect(request.query ?? "none" == query)
    #expect(HTTPRequest(method: .get, target: "/a").query == nil)
    #expect(HTTPRequest(method: .options, target: "*").path == "*")
    var changed = request
    changed.target = "/c?d"
    #expect(changed.path == "/c" && changed.query == "d")
  }

  @Test
  func `have methods that are tokens (RFC 9110 §9.1)`() {
    #expect(HTTPMethod("BREW")?.token == "BREW")
    #expect(HTTPMethod("get") != .get)
    #expect(HTTPMethod("") == nil)
    #expect(HTTPMethod("A B") == nil)
  }

  @Test
  func `have statuses of three digits with a phrase (RFC 9110 §15)`() {
    #expect(HTTPStatus(code: 99) == nil)
    #expect(HTTPStatus(code: 600) == nil)
    #expect(HTTPStatus(code: 499)?.description == "499 Client Error")
    #expect(HTTPStatus.contentTooLarge.description == "413 Content Too Large")
  }

  @Test
  func `call a cancellation's last action, once, or at once where it is late`() {
    let cancellation = HTTPCancellation()
    let calls = Calls()
    cancellation.onCancel { calls.add("first") }
    cancellation.onCancel { calls.add("second") }
    #expect(!cancellation.isCancelled)
    cancellation.cancel()
    cancellation.cancel()
    #expect(cancellation.isCancelled)
    cancellation.onCancel { calls.add("late") }
    cancellation.onCancel(nil)
    #expect(calls.all == ["second", "late"])
  }
}
