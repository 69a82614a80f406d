/// Predicts how many writers will write soon, and how long a group commit should wait for them.
///
/// Writers that have just received their results usually write again, and if they miss the next synchronization of
/// the disk, everybody waits for one more. So the next group waits for as many writers as there were, but at most
/// for half the time of a commit. A client that writes alone never waits, and a wait in vain is not repeated.
struct WriteCompany {
  /// The number of writers that took part in the last commit, or waited at its end.
  private(set) var expected = 1
  /// The moving average of the time of a commit, in nanoseconds.
  private var commitTime: UInt64 = 0

  /// The shortest wait, in nanoseconds; anything less is not worth suspending a thread.
  private static let shortest: UInt64 = 50_000
  /// The longest wait, in nanoseconds.
  private static let longest: UInt64 = 1_000_000

  /// Notes a commit.
  ///
  /// - Parameters:
  ///   - count: The number of writes in it.
  ///   - waiting: The number of writes that arrived meanwhile.
  mutating func committed(_ count: Int, waiting: Int, in nanoseconds: UInt64) {
    expected = count + waiting
    // Capped, because a commit that ran a checkpoint does not predict the next one.
    let time = min(nanoseconds, 4 * Self.longest)
    commitTime = commitTime == 0 ? time : (3 * commitTime + time) / 4
  }

  /// Returns how long a group with `waiting` writes should wait for more, in nanoseconds; nil if it should not.
  func patience(with waiting: Int) -> UInt64? {
    guard waiting < expected, commitTime / 2 >= Self.shortest else { return nil }
    return min(commitTime / 2, Self.longest)
  }

  /// Notes that a wait ended before all expected writers had arrived.
  mutating func waited(with waiting: Int, until came: Int) {
    if came <= waiting { expected = came }
  }
}
