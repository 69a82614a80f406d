/// A value whose access is synchronised in a way that the compiler can't check.
struct UncheckedBox<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}
