import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredAssociations

@Suite("The memory of plans")
struct PlanMemoryTests {
  @Test(
    "what a plan was made with does not outlive its making",
    arguments: ["include=author.country", "sort=author.name", "filter=author.country.name='France'"])
  func scopes(query: String) throws {
    let library = try Library.database()
    let model = try library.model
    var parser = FetchRequestParser(model: model, limits: RequestLimits(), isUnpaged: false)
    let request = try parser.parse(path: ["books"], query: query).fetchRequest
    var planning: Planning? = Planner(model: model).planning(request)
    _ = try planning?.run()
    weak let scope = planning?.joining.first
    #expect(scope != nil)
    planning = nil
    #expect(scope == nil)
  }
}
