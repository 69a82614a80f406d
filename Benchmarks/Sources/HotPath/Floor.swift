import CFloor

/// The C program's answers.
final class Floor {
  private let state: OpaquePointer

  init?(_ path: String) {
    guard let state = floor_open(path) else { return nil }
    self.state = state
  }

  deinit { floor_close(state) }

  /// The number of bytes.
  func run(_ route: Character, _ number: Int) -> Int {
    var bytes: UnsafePointer<CChar>?
    return Int(floor_run(state, CChar(route.asciiValue ?? 0), Int32(number), &bytes))
  }
}
