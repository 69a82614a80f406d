import KindredSQLiteDialect
import Dispatch
import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredSQLite
import OrderedCollections
import Testing

@testable import KindredAPI

@Suite("What access and writing keep, and what they cost")
struct AccessCostTests {
  @Test
  func `roles that come to the same share a model and its plans`() throws {
    let database = try AccessFixture.database()
    let version = try database.service.context.models.latest()
    func view(_ roles: String) throws -> ModelVersion {
      let request = HTTPRequest(
        method: .get, target: "/", headers: AccessFixture.bearer(#"{"role":[\#(roles)]}"#))
      return version.seen(by: try database.service.context.access.principal(of: request))
    }
    #expect(try view(#""editor""#) === view(#""editor","critic""#))
    #expect(try view(#""editor""#) !== view(#""critic""#))
    #expect(try view(#""critic","reader""#) !== view(#""critic""#))
  }

  @Test
  func `a record is tested without a copy of the tables that the rule reads`() throws {
    let database = try TestDatabase.writable(
      Library.schema + Library.records,
      modelFile: """
        resources:
          countries:
            associations:
              paintings: { hasMany: paintings, through: authors, using: paintings }
            access:
              read: {}
              update: { rows: paintings.filter(year > 1855).count > 0 }
        """)
    let model = try database.service.context.models.latest().model
    let countries = try #require(model.resources["countries"])
    let rule = try #require(countries.access?.entries[.update]?.first?.rows)
    #expect(
      try Planner(model: model, dialect: .sqlite).test(rule, of: countries, by: ["code"]).transients.isEmpty)
    #expect(try database.send(.patch, "/countries/US", #"{"name":"U"}"#).status == 200)
    try Connection(path: database.path, access: .readWrite).execute("DELETE FROM painting WHERE year > 1855")
    #expect(try database.send(.patch, "/countries/US", #"{"name":"V"}"#).status == 401)
  }

  @Test
  func `a model of an uncommitted schema is not shared`() throws {
    struct Stop: Error {}
    let database = try Library.writable()
    let service = database.service
    let before = try service.context.models.latest().schemaVersion
    let done = DispatchSemaphore(value: 0)
    service.context.parts.backend.write(WriteOrder()) { transaction in
      try transaction.keep(
        KeptAnswer(fingerprint: [], time: 0, status: 200), under: KeptAnswer.Key(principal: "p", text: "t"))
      _ = try service.context.models.version(in: transaction)
      throw Stop()
    } completion: { (_: Result<Void, any Error>, _) in
      done.signal()
    }
    done.wait()
    #expect(service.context.models.known?.schemaVersion == before)
  }

  @Test
  func `the parts of a batch together make as much SQL as one request; each plan counts once`() throws {
    let database = try Library.writable()
    func status(_ terms: (Int) -> Int) throws -> Int {
      let parts = (0..<80).map { number in
        let filter = Array(repeating: "id=1", count: terms(number)).joined(separator: " or ")
        return #"{"method":"GET","url":"/authors?filter=\#(filter)"}"#
      }
      return try database.send(.post, "/-/batch", "[\(parts.joined(separator: ","))]").status
    }
    #expect(try status { _ in 300 } == 200)
    #expect(try status { 300 + $0 } == 400)
  }
}
