/// Ends the process if a condition doesn't hold, upon which libFuzzer saves the input.
public func check(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  fatalError(message())
}
