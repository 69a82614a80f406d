/// Bytes on their way out: memory that is written, handed on and written again.
///
/// Nothing is allocated per value: numbers, strings and JSON go from SQLite's memory straight into it.
final class OutputBuffer {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// What was written; valid until the next write.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  func removeAll() { count = 0 }

  /// Takes back what was written after the first `length` bytes.
  func truncate(to length: Int) { count = min(count, length) }

  /// Makes room for `more` bytes.
  @inline(__always)
  func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  private func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    memory.update(from: base, count: count)
    base.deallocate()
    base = memory
    capacity = larger
  }

  /// Room for `more` bytes at the end, of which ``advance(_:)`` then says how many were written.
  @inline(__always)
  func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    reserve(more)
    return base + count
  }

  @inline(__always)
  func advance(_ written: Int) { count += written }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  @inline(__always)
  func append(_ bytes: UnsafePointer<UInt8>, count more: Int) {
    reserve(more)
    (base + count).update(from: bytes, count: more)
    count += more
  }

  @inline(__always)
  func append(_ text: StaticString) {
    append(text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// A part of a plan's text.
  @inline(__always)
  func append(_ part: ExecutablePlan.Text, of text: UnsafePointer<UInt8>) {
    append(text + Int(part.start), count: Int(part.count))
  }
}
