import KindredPlanning
import KindredModel
import KindredClock
import KindredOutput
import KindredRequests

/// Limits the planning of a batch to what a single request may take.
struct BatchBudget {
  private let deadline: UInt64?
  private let sqlLength: Int
  private var length = 0
  private var expandedLength = 0
  private var plans: Set<ObjectIdentifier> = []

  /// The largest length in bytes that links to long requests add to the parts.
  private static let maximumExpandedLength = 1 << 20

  /// - Parameters:
  ///   - sqlLength: The largest length in bytes of the SQL of all plans together.
  ///   - deadline: When all parts must be planned, in nanoseconds of `MonotonicTime`; nil for no limit.
  init(sqlLength: Int, deadline: UInt64?) {
    self.sqlLength = sqlLength
    self.deadline = deadline
  }

  /// - Throws: `Problem` (503) when the request's time is over.
  func checkTime() throws {
    guard let deadline, MonotonicTime.now() >= deadline else { return }
    throw Problem(
      .outOfTime, "planning the parts of the batch took too long; send several batches",
      headers: [("Retry-After", "1")])
  }

  /// Counts the bytes that a link to a long request stands for.
  ///
  /// - Throws: `RequestError` if the batch is then too long.
  mutating func add(expansion count: Int) throws {
    expandedLength += count
    guard expandedLength <= Self.maximumExpandedLength else {
      throw RequestError(
        .limitExceeded,
        "the requests that the links in the batch represent are too long together; send several batches"
      )
    }
  }

  /// Counts a plan, only once if several parts share it.
  ///
  /// - Throws: `RequestError` if the batch is then too long.
  mutating func add(_ plan: ExecutablePlan) throws {
    guard plans.insert(ObjectIdentifier(plan)).inserted else { return }
    length += plan.plan.sqlLength
    guard length <= sqlLength else {
      throw RequestError(
        .limitExceeded,
        "the parts of the batch need more than \(sqlLength >> 10) KiB of SQL together; send several batches")
    }
  }
}
