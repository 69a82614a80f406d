/// Stops at a finding: libFuzzer keeps the input of what ends the process.
public func check(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  fatalError(message())
}
