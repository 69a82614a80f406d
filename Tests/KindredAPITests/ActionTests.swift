import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("Actions")
struct ActionTests {
  private static let shop = """
    CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stock INTEGER NOT NULL CHECK (stock >= 0));
    CREATE TABLE line (id INTEGER PRIMARY KEY, productId INTEGER REFERENCES product(id), quantity INTEGER);
    CREATE TABLE trace (id INTEGER PRIMARY KEY, v);
    INSERT INTO product VALUES (1, 'axe', 3), (2, 'bolt', 100);
    """

  private static let actions = """
    actions:
      order:
        parameters: { product: integer, quantity: { type: integer, default: 1 } }
        sql: |
          INSERT INTO line (productId, quantity) VALUES (:product, :quantity);
          UPDATE product SET stock = stock - :quantity WHERE id = :product;
          SELECT id, productId FROM line WHERE id = last_insert_rowid()
        as: lines
      restock: { parameters: { product: integer, by: integer }, sql: "UPDATE product SET stock = stock + :by WHERE id = :product RETURNING id, stock" }
      rename:
        parameters: { product: integer, name: text }
        sql: "INSERT INTO trace (v) VALUES (:name); UPDATE product SET name = :name WHERE id = :product RETURNING id, name"
        as: products
        single: true
      keep: { parameters: { t: { type: text, default: "it's" }, j: { type: json, default: null } }, sql: "INSERT INTO trace (v) VALUES (:t), (:j) RETURNING v, typeof(v) AS kind" }
      clear: { sql: DELETE FROM trace }

    """

  private func database(_ modelFile: String = actions) throws -> TestDatabase {
    try TestDatabase(Self.shop, modelFile: modelFile, options: .writable)
  }

  @Test
  func `the rows of the last statement that returns any are the answer, as records of a resource`() throws {
    let database = try database()
    let answer = try database.send(
      .post, "/order?include=product&product.fields=stock", #"{"product":2,"quantity":4}"#)
    #expect(answer.status == 200)
    #expect(answer.text == #"[{"id":1,"productId":2,"product":{"stock":96}}]"#)
    #expect(answer.headers["Location"] == nil)
    #expect(
      try database.send(.post, "/order?fields=*", #"{"product":1}"#).text == #"[{"id":2,"productId":1}]"#)
    #expect(try database.send(.post, "/order?fields=quantity", #"{"product":1}"#).status == 400)
  }

  @Test
  func `rows without a resource are as the statement gives them`() throws {
    let database = try database()
    #expect(try database.send(.post, "/restock", #"{"product":1,"by":4}"#).text == #"[{"id":1,"stock":7}]"#)
    #expect(try database.send(.post, "/restock", #"{"product":9,"by":4}"#).text == "[]")
    #expect(try database.send(.post, "/clear", "{}").status == 204)
    #expect(try database.send(.post, "/clear", nil).status == 204)
  }

  @Test
  func `a single row that isn't there undoes the whole action`() throws {
    let database = try database()
    #expect(
      try database.send(.post, "/rename", #"{"product":1,"name":"adze"}"#).text == #"{"id":1,"name":"adze"}"#)
    #expect(try database.send(.post, "/rename", #"{"product":9,"name":"none"}"#).status == 404)
    #expect(try database.stored("SELECT group_concat(v) FROM trace") == "adze")
  }

  @Test(arguments: [
    ("{}", "missing-parameter", "`product` (integer) is missing", nil),
    (#"{"prodct":1}"#, "unknown-parameter", "did you mean `product`?", "#/prodct"),
    (#"{"product":"1"}"#, "invalid-value", "`product` (integer) must be an integer", "#/product"),
    (#"{"product":1.5}"#, "invalid-value", "`product` (integer) must be an integer", "#/product"),
    (#"[{"product":1}]"#, "invalid-value", "must be an object", nil),
    (#"{"product":1,"product":1}"#, "malformed-json", "", nil),
  ])
  func `a content of another form is refused at its place`(
    content: String, code: String, detail: String, pointer: String?
  ) throws {
    let answer = try database().send(.post, "/order", content)
    #expect(answer.status == 400 && answer.problem("type") == "/-/errors#\(code)")
    #expect(answer.problem("detail")?.contains(detail) == true || detail.isEmpty)
    #expect(answer.problem("pointer") == pointer)
  }

  @Test
  func `a value is bound with its storage class, whatever it contains`() throws {
    let database = try database()
    #expect(
      try database.send(.post, "/keep", #"{"t":"'); DROP TABLE trace; --","j":{"a":[1]}}"#).text
        == #"[{"v":"'); DROP TABLE trace; --","kind":"text"},{"v":"{\"a\":[1]}","kind":"text"}]"#)
    #expect(
      try database.send(.post, "/keep", "{}").text
        == #"[{"v":"it's","kind":"text"},{"v":null,"kind":"null"}]"#)
  }

  @Test
  func `what the database refuses undoes all statements`() throws {
    let database = try database()
    #expect(try database.send(.post, "/order", #"{"product":1,"quantity":4}"#).status == 422)
    #expect(try database.send(.post, "/order", #"{"product":7}"#).status == 409)
    #expect(try database.send(.post, "/rename", #"{"product":1,"name":"bolt"}"#).status == 409)
    #expect(try database.stored("SELECT (SELECT count(*) FROM line) + (SELECT count(*) FROM trace)") == "0")
  }

  @Test
  func `a call is rolled back, kept under a key, and part of a batch, as any write`() throws {
    let database = try database()
    let content = #"{"product":1,"by":1}"#
    let tried = try database.send(.post, "/restock", content, headers: ["Prefer": "tx=rollback"])
    #expect(tried.text == #"[{"id":1,"stock":4}]"#)
    for _ in 0..<2 {
      let once = try database.send(.post, "/restock", content, headers: ["Idempotency-Key": "k"])
      #expect(once.text == #"[{"id":1,"stock":4}]"#)
    }
    let batch = try database.send(
      .post, "/-/batch",
      #"[{"method":"POST","url":"/restock","body":\#(content)},{"method":"GET","url":"/products/1?fields=stock"}]"#
    )
    #expect(
      batch.text.contains(#""body":[{"id":1,"stock":5}]"#) && batch.text.contains(#""body":{"stock":5}"#))
    let failing = try database.send(
      .post, "/-/batch",
      #"[{"method":"POST","url":"/restock","body":\#(content)},{"method":"POST","url":"/restock","body":{}}]"#
    )
    #expect(failing.status == 400 && failing.problem("pointer") == "#/1")
    #expect(try database.stored("SELECT stock FROM product WHERE id = 1") == "5")
  }

  @Test
  func `only POST calls an action, with JSON, and a browser gets its form`() throws {
    let database = try database()
    for method in [HTTPMethod.get, .head, .put, .patch, .delete] {
      let answer = try database.send(method, "/restock", method == .get || method == .head ? nil : "{}")
      #expect(answer.status == 405 && answer.headers["Allow"] == "POST, OPTIONS", "\(method)")
    }
    #expect(try database.answer("/restock", method: .options).headers["Allow"] == "POST, OPTIONS")
    let form = try database.answer("/restock", headers: ["Accept": "text/html"])
    #expect(form.status == 200 && form.text.contains(#"<form class="action" data-action="/restock""#))
    #expect(form.text.contains(#"name="by" data-type="integer" required"#))
    let lines = try database.send(.post, "/restock", "{}", headers: ["Content-Type": "application/x-ndjson"])
    #expect(lines.status == 415)
    #expect(try database.answer("/").text.contains(#""actions":[{"name":"order""#))
  }

  @Test
  func `an action is for the roles of its access, does what its SQL says, and shows what they may read`()
    throws
  {
    let database = try TestDatabase(
      Self.shop,
      modelFile: """
        resources:
          products: { access: { read: { roles: [clerk], rows: id = auth.team, fields: [id, name] } } }
        actions:
          all: { sql: "UPDATE product SET stock = 0 RETURNING *", as: products, access: { roles: [clerk, guest] } }
          mine:
            parameters: { team: { type: integer, from: auth.team } }
            sql: "UPDATE product SET stock = 9 WHERE id = :team RETURNING id"
            access: {}
          shut: { sql: DELETE FROM trace }
        """, options: AccessFixture.options(isWritable: true))
    func send(_ target: String, _ role: String?) throws -> Answer {
      try database.send(
        .post, target, "{}",
        headers: role.map { AccessFixture.bearer(#"{"role":"\#($0)","team":2}"#) } ?? [:])
    }
    #expect(try send("/all", nil).status == 401)
    #expect(try send("/all", "other").status == 403)
    #expect(try send("/all", "guest").text == "[]")
    #expect(try send("/all", "clerk").text == #"[{"id":2,"name":"bolt"}]"#)
    for (role, knows) in [("guest", false), ("clerk", true)] {
      let headers = AccessFixture.bearer(#"{"role":"\#(role)","team":2}"#)
      for target in ["/", "/-/schema", "/-/openapi.json"] {
        #expect(
          try database.answer(target, headers: headers).text.contains("products") == knows,
          "\(role) \(target)")
      }
    }
    #expect(try send("/shut", "clerk").status == 403)
    #expect(try send("/mine", "other").text == #"[{"id":2}]"#)
    #expect(try send("/mine", nil).text == "[]")
    #expect(try database.stored("SELECT group_concat(stock) FROM product") == "0,9")
  }
}
