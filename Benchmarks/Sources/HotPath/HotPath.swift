import CFloor
import Foundation
import KindredSQLite

/// `HotPath DATABASE [options]`: each route in process, Kindred against the floor in C, by turns.
///
/// What a route costs beside its bytes on the wire: the path from a request to a body, without sockets.
@main
struct HotPath {
  static let usage = """
    usage: HotPath DATABASE [--routes bcdefg] [--seconds 1] [--check]
           HotPath DATABASE --only kindred|floor --routes d --iterations 5     (for profilers)
    """

  static func main() throws {
    // Before the floor uses the library: what holds for one then holds for both.
    try SQLiteLibrary.initialize()
    guard let options = Options(CommandLine.arguments.dropFirst()), let floor = Floor(options.database) else {
      print(usage)
      exit(64)
    }
    let kindred = try Server(options.database)
    if let only = options.only {
      for route in options.routes {
        for number in 0..<options.iterations {
          _ = only == "floor" ? floor.run(route, number) : try kindred.run(route, number)
        }
      }
      return
    }
    var isWithinBounds = true
    print(
      "| route | bytes | floor µs | Kindred µs | Kindred ÷ floor | at most | allocations: floor | Kindred beyond it | at most |\n|---|---|---|---|---|---|---|---|---|"
    )
    for route in options.routes {
      let pair = try measure(route, floor, kindred, seconds: options.seconds)
      let bound = bounds[route] ?? .infinity
      let more = pair.kindredAllocations - pair.floorAllocations
      isWithinBounds = isWithinBounds && pair.ratio <= bound && more <= allocationBound
      print(
        "| \(route) | \(pair.bytes) | \(rounded(pair.floor)) | \(rounded(pair.kindred)) | \(rounded(pair.ratio)) | \(bound) | \(pair.floorAllocations) | \(more) | \(allocationBound) |"
      )
    }
    if options.checks, !isWithinBounds { exit(1) }
  }

  /// What Kindred's answer may cost in floors; more fails `--check`.
  static let bounds: [Character: Double] = ["b": 4, "c": 1.2, "d": 1.2, "e": 1.2, "f": 1.3, "g": 1.2]

  /// How much more often than the floor Kindred may ask for memory, however many rows there are: SQLite does in both.
  static let allocationBound = 80

  private static func rounded(_ value: Double) -> String {
    let scale = value < 10 ? 100.0 : value < 100 ? 10.0 : 1.0
    return "\((value * scale).rounded() / scale)"
  }

  struct Pair {
    var bytes: Int
    /// Medians, in microseconds.
    var floor: Double
    var kindred: Double
    /// The median of the ratios of neighbours: it holds although the machine's speed drifts.
    var ratio: Double
    /// Of one answer, once everything is warm.
    var floorAllocations: Int
    var kindredAllocations: Int
  }

  private static func measure(
    _ route: Character, _ floor: Floor, _ kindred: Server, seconds: Double
  ) throws -> Pair {
    // Short answers are timed by the batch.
    let batch = route == "b" ? 200 : 1
    var floors: [Double] = []
    var kindreds: [Double] = []
    var bytes = 0
    let end = now() + seconds
    while floors.count < 5 || now() < end {
      let start = now()
      for number in 0..<batch { _ = floor.run(route, number) }
      let middle = now()
      for number in 0..<batch { bytes = try kindred.run(route, number) }
      floors.append((middle - start) / Double(batch) * 1e6)
      kindreds.append((now() - middle) / Double(batch) * 1e6)
    }
    let before = floor_allocations()
    _ = floor.run(route, 0)
    let between = floor_allocations()
    _ = try kindred.run(route, 0)
    let after = floor_allocations()
    return Pair(
      bytes: bytes, floor: median(floors), kindred: median(kindreds),
      ratio: median(zip(kindreds, floors).map(/)), floorAllocations: between - before,
      kindredAllocations: after - between)
  }

  private static func now() -> Double {
    Double(DispatchTime.now().uptimeNanoseconds) / 1e9
  }

  private static func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }
}

/// What was asked for.
struct Options {
  var database = ""
  var routes: [Character] = Array("bcdefg")
  var seconds = 1.0
  var iterations = 1
  var only: String?
  var checks = false

  init?(_ arguments: some Sequence<String>) {
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      switch argument {
      case "--routes": routes = Array(iterator.next() ?? "")
      case "--seconds": seconds = iterator.next().flatMap(Double.init) ?? seconds
      case "--iterations": iterations = iterator.next().flatMap(Int.init) ?? iterations
      case "--only": only = iterator.next()
      case "--check": checks = true
      default: database = argument
      }
    }
    if database.isEmpty { return nil }
  }
}
