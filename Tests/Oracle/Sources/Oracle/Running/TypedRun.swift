import OracleValues
import TypedGRDB
import TypedKindred
import TypedRequests

/// Compares random requests of Kindred's Swift API with the naive evaluation and with GRDB.
public struct TypedRun {
  let seed: UInt64
  /// The number of requests on the same rows before others are generated.
  private static let requestsPerData = 40

  /// The number of requests with the expected result.
  public private(set) var passed = 0
  /// The number of these that GRDB has answered too.
  public private(set) var comparedWithGRDB = 0
  /// The number of these that the naive evaluation has answered.
  public private(set) var comparedWithEvaluation = 0
  /// The findings.
  public private(set) var failures: [String] = []

  /// Creates a run that the same seed reproduces.
  public init(seed: UInt64) { self.seed = seed }

  /// - Parameters:
  ///   - requests: The number of requests.
  ///   - limit: The number of failures that ends the run.
  ///   - progress: Called after each database.
  public mutating func run(requests: Int, failures limit: Int = 20, progress: (TypedRun) -> Void = { _ in })
    throws
  {
    var random = SplitMix64(seed: seed)
    while passed + failures.count < requests, failures.count < limit {
      let data = TypedData(random: &random)
      var generator = RandomRequestGenerator(random: SplitMix64(seed: random.next()))
      let comparison = try TypedComparison(data)
      for _ in 0..<min(Self.requestsPerData, requests - passed - failures.count) {
        let request = generator.request()
        guard let difference = comparison.difference(at: request) else {
          passed += 1
          continue
        }
        let (shortest, shown) = comparison.shrunk(request, difference)
        failures.append("\(shortest.description)\n\(shown)\nseed \(seed), rows:\n\(data.insertions)")
      }
      comparedWithGRDB += comparison.comparedWithGRDB
      comparedWithEvaluation += comparison.comparedWithEvaluation
      progress(self)
    }
  }
}

/// The same rows in both libraries and in memory.
final class TypedComparison {
  private let evaluator: TypedEvaluator
  private let kindred: TypedKindred.TypedDatabase
  private let grdb: TypedGRDB.TypedDatabase
  private(set) var comparedWithGRDB = 0
  private(set) var comparedWithEvaluation = 0

  init(_ data: TypedData) throws {
    evaluator = TypedEvaluator(data: data)
    kindred = try TypedKindred.TypedDatabase(sql: data.sql)
    grdb = try TypedGRDB.TypedDatabase(sql: data.sql)
  }

  /// Returns a description of the differences; nil if all results agree.
  func difference(at request: RandomRequest) -> TypedDifference? {
    let found: Fetched
    do {
      found = try kindred.fetched(request)
    } catch {
      return TypedDifference(kind: "error \(error)", text: "Kindred")
    }
    if let difference = differenceInDecoding(of: found) { return difference }
    do {
      if request.hasAggregatesBesideJoins { throw TypedRequests.Unsupported("aggregates beside joins") }
      let expected = try evaluator.rows(of: request)
      comparedWithEvaluation += 1
      if var difference = TypedDifference("evaluation", expected, found.rows) {
        if request.reasonAgainstGRDB == nil, let other = try? grdb.fetched(request) {
          difference.text += other.rows == found.rows ? "\nas GRDB does" : "\nGRDB: \(other.rows)"
        }
        return difference
      }
    } catch is TypedRequests.Unsupported {
    } catch {
      return TypedDifference(kind: "evaluation", text: "\(error)")
    }
    guard request.reasonAgainstGRDB == nil else { return nil }
    do {
      let other = try grdb.fetched(request)
      comparedWithGRDB += 1
      return TypedDifference("GRDB", other.rows, found.rows)
        ?? TypedDifference(
          "GRDB's descriptions", other.descriptions.map(\.sortedLines), found.descriptions.map(\.sortedLines))
        ?? TypedDifference("GRDB's decoding", other.decoded, found.decoded)
        ?? TypedDifference("GRDB's records", other.records.map(\.shown), found.records.map(\.shown))
        ?? TypedDifference("GRDB's count", [other.count], [found.count])
    } catch is TypedRequests.Unsupported {
      return nil
    } catch {
      return TypedDifference(kind: "GRDB", text: "GRDB: \(error)")
    }
  }

  /// Checks that decoding returns the values of the rows.
  private func differenceInDecoding(of found: Fetched) -> TypedDifference? {
    TypedDifference(
      "decoding", found.rows.map { $0.withoutMissing.comparable }, found.decoded.map { $0.comparable })
  }

  /// Returns the smallest request that differs in the same way.
  func shrunk(
    _ request: RandomRequest, _ difference: TypedDifference
  ) -> (RandomRequest, TypedDifference) {
    var (best, shown) = (request, difference)
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in best.reductions {
        guard let difference = self.difference(at: candidate), difference.kind == shown.kind else { continue }
        (best, shown, isSmaller) = (candidate, difference, true)
        break
      }
    }
    return (best, shown)
  }
}

/// A difference between two results.
struct TypedDifference: CustomStringConvertible {
  var kind: String
  var text: String
  var description: String { "\(kind):\n\(text)" }

  init(kind: String, text: String) {
    self.kind = kind
    self.text = text
  }

  init?<Element: Equatable>(_ kind: String, _ expected: [Element], _ found: [Element]) {
    guard expected != found else { return nil }
    self.kind = kind
    func lines(_ elements: [Element]) -> String {
      let different = elements.enumerated().filter { index, element in
        !expected.indices.contains(index) || !found.indices.contains(index) || expected[index] != found[index]
      }
      return different.prefix(2).map { "  \($0.offset): \($0.element)" }.joined(separator: "\n")
    }
    text = "expected \(expected.count)\n\(lines(expected))\ngot \(found.count)\n\(lines(found))"
  }
}

extension String {
  /// The lines in a fixed order, because the order of scopes is not compared.
  fileprivate var sortedLines: [Substring] { split(separator: "\n").sorted() }
}

extension [String: String] {
  fileprivate var shown: String {
    sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }
}

extension ResultTree {
  /// The tree with all numbers as reals, because decoding can't distinguish integers.
  fileprivate var comparable: ResultTree {
    ResultTree(
      columns: columns.map { column in
        if case .integer(let integer) = column.value {
          Column(column.name, .real(Double(integer)))
        } else {
          column
        }
      },
      scopes: scopes.filter { collections[$0.key] == nil }.mapValues(\.comparable),
      collections: collections.mapValues { $0.map(\.comparable) })
  }
}
