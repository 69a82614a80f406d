/// A small generator of random numbers that gives the same ones for the same seed on every platform.
///
/// Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The generator of a seed.
  package init(seed: UInt64) { state = seed }

  /// The next of the numbers.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension SplitMix64 {
  /// True in `percent` of a hundred cases.
  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of the elements; nil of none.
  package mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &self)
  }
}
