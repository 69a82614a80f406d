import KindredAssociations
import KindredClock
import KindredOutput

/// What the planning of a batch may take: as much as that of one request.
struct BatchBudget {
  private let deadline: UInt64?
  private let sqlLength: Int
  private var length = 0
  private var plans: Set<ObjectIdentifier> = []

  /// - Parameters:
  ///   - sqlLength: bytes of SQL of all plans together.
  ///   - deadline: when all must be planned, in nanoseconds of `MonotonicTime`; nil for any time.
  init(sqlLength: Int, deadline: UInt64?) {
    self.sqlLength = sqlLength
    self.deadline = deadline
  }

  /// - Throws: `Problem` (503) where the time of the request is up.
  func checkTime() throws {
    guard let deadline, MonotonicTime.now() >= deadline else { return }
    throw Problem(
      .outOfTime, "the parts of the batch took longer to plan than a request may take: send several batches",
      headers: [("Retry-After", "1")])
  }

  /// Counts a plan, once however many parts share it.
  ///
  /// - Throws: `RequestError` where it makes the batch too long.
  mutating func add(_ plan: ExecutablePlan) throws {
    guard plans.insert(ObjectIdentifier(plan)).inserted else { return }
    length += plan.plan.sqlLength
    guard length <= sqlLength else {
      throw RequestError(
        .limitExceeded,
        "the parts of the batch make more than \(sqlLength >> 10) KiB of SQL together: send several batches")
    }
  }
}
