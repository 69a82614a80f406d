import Foundation
import OracleValues

/// Thousands of random requests that write under random rules: what they come to, and what the database then holds, must
/// be what a naive evaluation of the rules says.
public struct WriteRun {
  let seed: UInt64
  private static let requestsPerSchema = 40

  /// How many requests came to what they should.
  public private(set) var passed = 0
  /// How many of them changed the database.
  public private(set) var done = 0
  /// How many of them the rules refused.
  public private(set) var refused = 0
  /// The findings.
  public private(set) var failures: [String] = []

  /// A run that a seed repeats.
  public init(seed: UInt64) { self.seed = seed }

  /// - Parameters:
  ///   - requests: how many.
  ///   - limit: how many failures end the run.
  ///   - progress: told of every schema that is done.
  public mutating func run(requests: Int, failures limit: Int = 20, progress: (WriteRun) -> Void = { _ in })
    throws
  {
    let constants = try ConstantEvaluator()
    var random = SplitMix64(seed: seed)
    while passed + failures.count < requests, failures.count < limit {
      var schemas = SchemaGenerator(random: SplitMix64(seed: random.next()))
      var schema = schemas.schema()
      // Keys that compare otherwise than their values do are the reading requests' matter.
      while schema.isOdd { schema = schemas.schema() }
      schema.mendReferences()
      AccessGenerator.addRules(to: &schema, &random)
      WriteGenerator.addRules(to: &schema, &random)
      WriteGenerator.addConflictClauses(to: &schema, &random)
      var generator = WriteGenerator(random: SplitMix64(seed: random.next()))
      try run(&schema, &generator, constants, requests - passed - failures.count)
      progress(self)
    }
  }

  /// One schema, whose content each request finds as the ones before have left it.
  private mutating func run(
    _ schema: inout DatabaseSchema, _ generator: inout WriteGenerator, _ constants: ConstantEvaluator,
    _ requests: Int
  ) throws {
    let databases = try [true, false].map { try KindredDatabase(schema, isIndexed: $0) }
    for _ in 0..<min(Self.requestsPerSchema, requests) {
      guard let request = generator.request(on: schema) else { return passed += 1 }
      // After a request whose verdict is open, the content would be unknown.
      guard let verdict = try? WriteJudge(schema: schema, constants: constants).verdict(of: request)
      else { continue }
      if case .open = verdict { continue }
      for database in databases {
        let difference: String?
        do {
          difference = try self.difference(verdict, database, request, schema)
        } catch is TooNested {
          return passed += 1
        }
        if let difference {
          return failures.append(
            """
            \(schema.sql())\(Finding.model(of: schema).joined(separator: "\n"))
            \(request.method) \(request.target(in: schema).removingPercentEncoding ?? "")
            \(request.content(in: schema) ?? "")
            \(difference)
            """)
        }
      }
      passed += 1
      switch verdict {
      case .done(_, let after, _):
        schema = after
        done += 1
      case .refused(let statuses): refused += statuses == [403] || statuses == [404] ? 1 : 0
      case .open: break
      }
    }
  }

  /// SQLite's parser has room for so many parts within parts, and rules add theirs to those of the request.
  private struct TooNested: Error {}

  private func difference(
    _ verdict: WriteVerdict, _ database: KindredDatabase, _ request: WriteRequest, _ schema: DatabaseSchema
  ) throws -> String? {
    let answer = try database.send(
      request.method, request.target(in: schema), request.content(in: schema),
      prefersMerge: request.prefersMerge)
    if answer.status == 400, answer.text.contains("exceeds SQLite's limits") { throw TooNested() }
    var expected = schema
    switch verdict {
    case .open: return nil
    case .refused(let statuses):
      guard statuses.contains(answer.status) else {
        return "expected \(statuses.sorted())\ngot      \(answer.status) \(answer.text)"
      }
    case .done(let status, let after, let shown):
      guard answer.status == status else {
        return "expected \(status)\ngot      \(answer.status) \(answer.text)"
      }
      if let shown, try JSONReader.read(answer.body) != shown {
        return "expected \(shown)\ngot      \(answer.text)"
      }
      expected = after
    }
    for table in expected.tables {
      let found = try database.rows(of: table)
      let wanted = Set(table.rows)
      if Set(found) != wanted || found.count != table.rows.count {
        return
          "expected \(table.name) \(wanted.subtracting(found))\ngot      \(Set(found).subtracting(wanted))"
      }
    }
    return nil
  }
}
