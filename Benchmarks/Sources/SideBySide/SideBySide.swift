import Foundation
import GRDBSide
import KindredSide

/// Fetches the same with Kindred's Swift API and with GRDB, in turns: `SideBySide LIBRARY [REPEATS] [STEP…]`.
@main
enum SideBySide {
  struct Step: Sendable {
    let name: String
    let kindred: @Sendable (KindredSide.Side) -> () throws -> Int
    let grdb: @Sendable (GRDBSide.Side) -> () throws -> Int
  }

  static let steps = [
    Step(
      name: "authors with books, decoded", kindred: Side.authorsWithBooks, grdb: Side.authorsWithBooks),
    Step(
      name: "authors with books, rows", kindred: Side.authorsWithBooksAsRows,
      grdb: Side.authorsWithBooksAsRows),
    Step(
      name: "authors > books > reviews, decoded", kindred: Side.authorsWithBooksAndReviews,
      grdb: Side.authorsWithBooksAndReviews),
    Step(name: "books, decoded", kindred: Side.books, grdb: Side.books),
    Step(name: "books, rows", kindred: Side.booksAsRows, grdb: Side.booksAsRows),
    Step(name: "books with author, decoded", kindred: Side.booksWithAuthor, grdb: Side.booksWithAuthor),
    Step(
      name: "authors with two aggregates, decoded", kindred: Side.authorsWithAggregates,
      grdb: Side.authorsWithAggregates),
    Step(
      name: "1,000 authors with books, one by one", kindred: Side.authorsOneByOne,
      grdb: Side.authorsOneByOne),
    Step(name: "10,000 authors by key", kindred: Side.authorsByKey, grdb: Side.authorsByKey),
    Step(name: "the same in SQL", kindred: Side.authorsByKeyInSQL, grdb: Side.authorsByKeyInSQL),
    Step(name: "10,000 insertions", kindred: Side.insertions, grdb: Side.insertions),
    Step(name: "the same in SQL", kindred: Side.insertionsInSQL, grdb: Side.insertionsInSQL),
    Step(
      name: "10,000 insertions and updates, 5,000 deletions", kindred: Side.updatesAndDeletions,
      grdb: Side.updatesAndDeletions),
    Step(
      name: "10,000 requests of no author, planned", kindred: Side.emptyRequests, grdb: Side.emptyRequests),
  ]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else { return print("usage: SideBySide LIBRARY [REPEATS] [STEP…]") }
    let repeats = arguments.dropFirst().first.flatMap { Int($0) } ?? 9
    let chosen = arguments.dropFirst(2).compactMap { Int($0) }
    let kindred = try KindredSide.Side(path: path)
    let grdb = try GRDBSide.Side(path: path)
    print("| fetch | Kindred: processor ms, wall ms | GRDB: processor ms, wall ms | processor time | wall |")
    print("|---|---|---|---|---|")
    for (number, step) in steps.enumerated() where chosen.isEmpty || chosen.contains(number) {
      let (left, right) = (step.kindred(kindred), step.grdb(grdb))
      let expected = try left()
      do {
        guard try right() == expected else { throw Failure.different(step.name) }
      } catch let failure as Failure {
        throw failure
      } catch {
        // GRDB binds the key of each record, of which SQLite takes 250,000 on Debian and 32,766 elsewhere.
        print("| \(step.name) | \(try measured(left)) | \("\(error)".prefix { $0 != "-" }) | | |")
        continue
      }
      var times: [[Time]] = [[], []]
      for _ in 0..<max(1, repeats) {
        times[0].append(try measured(left))
        times[1].append(try measured(right))
      }
      let (ours, theirs) = (Time.median(times[0]), Time.median(times[1]))
      print(
        "| \(step.name) | \(ours) | \(theirs) | \(ours.processor / theirs.processor, digits: 2) ×",
        "| \(ours.wall / theirs.wall, digits: 2) × |")
    }
  }

  enum Failure: Error { case different(String) }

  private static func measured(_ body: () throws -> Int) throws -> Time {
    let start = (clock(CLOCK_PROCESS_CPUTIME_ID), clock(CLOCK_MONOTONIC))
    _ = try body()
    let end = (clock(CLOCK_PROCESS_CPUTIME_ID), clock(CLOCK_MONOTONIC))
    return Time(processor: end.0 - start.0, wall: end.1 - start.1)
  }

  /// Milliseconds.
  private static func clock(_ id: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(id, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

struct Time: CustomStringConvertible {
  /// Milliseconds.
  var processor: Double
  var wall: Double

  var description: String { "\(processor, digits: 1), \(wall, digits: 1)" }

  static func median(_ times: [Time]) -> Time {
    func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    return Time(processor: middle(times.map(\.processor)), wall: middle(times.map(\.wall)))
  }
}

extension DefaultStringInterpolation {
  mutating func appendInterpolation(_ value: Double, digits: Int) {
    appendInterpolation(String(format: "%.\(digits)f", value))
  }
}
