/// Random numbers that are the same in every run.
package struct LinearCongruentialGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Begins with a state.
  package init(state: UInt64) { self.state = state }

  /// Returns the next number.
  package mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    // The low bits have short periods.
    return state >> 32 | state << 32
  }
}
