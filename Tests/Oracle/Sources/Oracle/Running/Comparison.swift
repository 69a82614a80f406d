/// A request on a schema, and whether Kindred and the oracle agree on its result.
struct Trial: Sendable {
  var schema: DatabaseSchema
  var request: Request
}

/// The outcome of a comparison.
enum Outcome: Sendable {
  case agreement
  /// The oracle itself finds the request invalid; only shrinking creates such requests.
  case meaningless(String)
  case difference(Difference)
}

struct Difference: Sendable {
  enum Kind: Sendable, Hashable {
    /// An unexpected status, with the detail of the problem.
    case status(Int, String)
    case body, count, pages
    /// GRDB and the naive evaluation do not agree.
    case grdb
  }

  var kind: Kind
  var expected: String
  var got: String
  var isIndexed: Bool
}

/// Compares results on a schema whose databases stay open.
final class Comparison {
  private let evaluator: Evaluator
  private let databases: [(database: KindredDatabase, isIndexed: Bool)]
  private let grdb: GRDBDatabase
  /// The number of requests that GRDB has answered too.
  private(set) var comparedWithGRDB = 0

  init(_ schema: DatabaseSchema, constants: ConstantEvaluator) throws {
    // With access rules, the expected result is that of a database without the hidden rows.
    let seen = try schema.inSight(constants)
    evaluator = Evaluator(schema: seen, constants: constants)
    grdb = try GRDBDatabase(seen)
    databases = try [true, false].map { (try KindredDatabase(schema, isIndexed: $0), $0) }
  }

  func outcome(of request: Request) -> Outcome {
    let target = request.target(in: evaluator.schema)
    let result: Evaluator.Result
    do {
      result = try evaluator.result(of: request)
    } catch {
      return .meaningless("\(error)")
    }
    for (database, isIndexed) in databases {
      if var difference = difference(result, database, target, request) {
        // SQLite's parser has room for so many parts within parts, and rules add theirs to those of the request.
        if case .status(400, let sentence) = difference.kind, sentence.contains("exceeds SQLite's limits") {
          return .meaningless(sentence)
        }
        difference.isIndexed = isIndexed
        return .difference(difference)
      }
    }
    if let difference = differenceOfGRDB(from: result, request) { return .difference(difference) }
    return .agreement
  }

  private func differenceOfGRDB(from result: Evaluator.Result, _ request: Request) -> Difference? {
    guard case .many(let records, _) = result else { return nil }
    do {
      let found = try grdb.result(of: request)
      comparedWithGRDB += 1
      guard found != records else { return nil }
      return Difference(
        kind: .grdb, expected: "\(JSON.array(records))", got: "GRDB \(JSON.array(found))", isIndexed: true)
    } catch is Unsupported {
      return nil
    } catch {
      return Difference(
        kind: .grdb, expected: "\(JSON.array(records))", got: "GRDB \(error)", isIndexed: true)
    }
  }

  private func difference(
    _ result: Evaluator.Result, _ database: KindredDatabase, _ target: String, _ request: Request
  ) -> Difference? {
    do {
      let answer = try database.get(target, isLines: request.isLines)
      switch result {
      case .notFound:
        return answer.status == 404 ? nil : Self.difference(answer.kind, "404", answer)
      case .refused:
        return answer.status == 400 ? nil : Self.difference(answer.kind, "400", answer)
      case .single(let record):
        guard answer.status == 200 else { return Self.difference(answer.kind, "200 \(record)", answer) }
        return try JSONReader.read(answer.body) == record ? nil : Self.difference(.body, "\(record)", answer)
      case .many(let all, let count):
        return try self.difference(all, count, answer, database, request)
      }
    } catch {
      return Difference(kind: .status(0, ""), expected: "an answer", got: "\(error)", isIndexed: true)
    }
  }

  private func difference(
    _ records: [JSON], _ count: Int, _ answer: KindredDatabase.Answer, _ database: KindredDatabase,
    _ request: Request
  ) throws -> Difference? {
    let size = request.root.limit ?? (request.isLines ? .max : 100)
    let page = Array(records.prefix(size))
    let expected = JSON.array(page)
    guard answer.status == 200 else { return Self.difference(answer.kind, "200 \(expected)", answer) }
    let body =
      request.isLines
      ? try JSON.array(answer.body.split(separator: 10).map { try JSONReader.read(Array($0)) })
      : try JSONReader.read(answer.body)
    guard body == expected else { return Self.difference(.body, "\(expected)", answer) }
    if request.count, answer.count != "\(count)" {
      return Difference(kind: .count, expected: "\(count)", got: answer.count ?? "none", isIndexed: true)
    }
    guard !request.isLines else { return nil }
    return try pages(after: answer, of: database, count - (request.root.offset ?? 0), request, page)
  }

  /// Follows `Link` to the last page, and checks that all pages together are the whole result and have the right
  /// lengths.
  private func pages(
    after answer: KindredDatabase.Answer, of database: KindredDatabase, _ count: Int, _ request: Request,
    _ first: [JSON]
  ) throws -> Difference? {
    guard let limit = request.root.limit, limit > 0 else { return nil }
    var whole = request
    whole.root.limit = nil
    guard case .many(let all, _) = try evaluator.result(of: whole) else { return nil }
    var found = first
    var next = answer.next
    while let target = next, found.count <= all.count {
      let answer = try database.get(target)
      guard answer.status == 200, case .array(let page) = try JSONReader.read(answer.body) else {
        return Self.difference(.pages, "a page at \(target)", answer)
      }
      found += page
      next = answer.next
      if page.count != limit, next != nil {
        return Self.difference(.pages, "a full page at \(target)", answer)
      }
    }
    if found == all { return nil }
    return Difference(
      kind: .pages, expected: "\(JSON.array(all))", got: "\(JSON.array(found))", isIndexed: true)
  }

  private static func difference(
    _ kind: Difference.Kind, _ expected: String, _ answer: KindredDatabase.Answer
  ) -> Difference {
    Difference(kind: kind, expected: expected, got: "\(answer.status) \(answer.text)", isIndexed: true)
  }
}

extension KindredDatabase.Answer {
  fileprivate var kind: Difference.Kind {
    // The message without the names in it.
    let sentence = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined()
    return .status(status, status == 500 ? "" : sentence)
  }
}
