/// How many writers are likely to write soon, and for how long a group of writes waits for them.
///
/// Those that were told of a commit mostly write again, and a synchronisation that they miss is one more for all. So the
/// next group waits for as many as there were, but for half as long as a commit takes at most. A client that writes alone
/// never waits, and a wait in vain is not repeated.
struct WriteCompany {
  /// Writers that wrote, or waited to, at the last commit.
  private(set) var expected = 1
  /// How long commits take, in nanoseconds: the average of the last ones.
  private var commitTime: UInt64 = 0

  /// Shorter waits aren't worth a thread's sleep, in nanoseconds.
  private static let shortest: UInt64 = 50_000
  /// The longest one.
  private static let longest: UInt64 = 1_000_000

  /// Notes a commit.
  ///
  /// - Parameters:
  ///   - count: the writes that it told of.
  ///   - waiting: the writes that came meanwhile.
  mutating func committed(_ count: Int, waiting: Int, in nanoseconds: UInt64) {
    expected = count + waiting
    // One that wrote back the log says nothing of the next.
    let time = min(nanoseconds, 4 * Self.longest)
    commitTime = commitTime == 0 ? time : (3 * commitTime + time) / 4
  }

  /// How long to wait before a group of so many begins, in nanoseconds; nil for not at all.
  func patience(with waiting: Int) -> UInt64? {
    guard waiting < expected, commitTime / 2 >= Self.shortest else { return nil }
    return min(commitTime / 2, Self.longest)
  }

  /// Notes that the time was over before all had come.
  mutating func waited(with waiting: Int, until came: Int) {
    if came <= waiting { expected = came }
  }
}
