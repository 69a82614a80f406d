import OracleValues
import Testing

@testable import Oracle

@Suite("The oracle")
struct OracleTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random requests give what the documentation says, and what GRDB says`(seed: UInt64) throws {
    var run = OracleRun(seed: seed)
    try run.run(requests: 1200, failures: 3)
    #expect(run.failures.isEmpty, "\(run.failures.joined(separator: "\n\n"))")
    // GRDB compares keys by their values alone, so half of the schemas are not for it.
    #expect(run.comparedWithGRDB > 60)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random requests of the Swift API give what a naive evaluation and GRDB give`(seed: UInt64) throws {
    var run = TypedRun(seed: seed)
    try run.run(requests: 1200, failures: 3)
    #expect(run.failures.isEmpty, "\(run.failures.joined(separator: "\n\n"))")
    #expect(run.comparedWithGRDB > 300)
    #expect(run.comparedWithEvaluation > 900)
  }

  @Test(arguments: [4, 5, 6] as [UInt64])
  func `random requests under random rules give what a database without the rows out of sight gives`(
    seed: UInt64
  ) throws {
    var run = OracleRun(seed: seed, hasRules: true)
    try run.run(requests: 1200, failures: 3)
    #expect(run.failures.isEmpty, "\(run.failures.joined(separator: "\n\n"))")
  }

  @Test(arguments: [7, 8, 9] as [UInt64])
  func `random requests that write under random rules do what a naive evaluation of the rules says`(
    seed: UInt64
  ) throws {
    var run = WriteRun(seed: seed)
    try run.run(requests: 1200, failures: 3)
    #expect(run.failures.isEmpty, "\(run.failures.joined(separator: "\n\n"))")
    #expect(run.done > 300)
    #expect(run.refused > 100)
  }

  @Test
  func `the same seed makes the same requests`() {
    func targets() -> [String] {
      var schemas = SchemaGenerator(random: SplitMix64(seed: 7))
      let schema = schemas.schema()
      var requests = RequestGenerator(schema: schema, random: SplitMix64(seed: 8))
      return (0..<20).map { _ in requests.request().target(in: schema) }
    }
    #expect(targets() == targets())
  }

  @Test
  func `a difference is made small`() throws {

    let expressions = Expr.junction("and", [.boolean(true), .isNull(.value(.integer(1)), negated: true)])
    var node = Node()
    node.filters = [expressions]
    #expect(node.reductions.contains { $0.filters.isEmpty })
    #expect(node.reductions.contains { $0.filters.first?.text == "true" })
  }
}
