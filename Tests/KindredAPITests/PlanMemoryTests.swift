import KindredSQLiteDialect
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredModel
@testable import KindredPlanning
@testable import KindredRequests

@Suite("The memory of plans")
struct PlanMemoryTests {
  @Test(arguments: ["include=author.country", "sort=author.name", "filter=author.country.name='France'"])
  func `what a plan was made with does not outlive its making`(query: String) throws {
    let library = try Library.database()
    let model = try library.model
    var parser = FetchRequestParser(model: model, limits: RequestLimits(), isUnpaged: false)
    let request = try parser.parse(path: ["books"], query: URLQuery(query[...])).fetchRequest
    let planner = Planner(model: model, dialect: .sqlite)
    var context: PlanningContext? = planner.context(of: request)
    if let context { _ = try planner.plan(request, context) }
    weak let record = context?.state.records.values.first { !$0.joined.isEmpty }?.record
    weak let names = record?.names
    #expect(record != nil && names != nil)
    context = nil
    #expect(record == nil && names == nil)
  }
}
