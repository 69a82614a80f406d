/// Bytes on their way out: memory that is written, handed on and written again.
///
/// Nothing is allocated per value: numbers, strings and JSON go from SQLite's memory straight into it. It is a value
/// that is never copied, so that the loop that fills it counts no references and checks no access.
struct OutputBuffer: ~Copyable {
  private(set) var memory: OutputMemory
  /// Where the next byte goes.
  private var position: UnsafeMutablePointer<UInt8>
  private var end: UnsafeMutablePointer<UInt8>

  init(_ memory: OutputMemory) {
    self.memory = memory
    position = memory.base
    end = memory.base + memory.capacity
  }

  init(capacity: Int) { self.init(OutputMemory(capacity: capacity)) }

  var count: Int { position - memory.base }

  /// What was written; valid until the next write.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.base, count: count) }

  mutating func removeAll() { position = memory.base }

  /// Takes back what was written after the first `length` bytes.
  mutating func truncate(to length: Int) {
    if length < count { position = memory.base + length }
  }

  /// Makes room for `more` bytes.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if end - position < more { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    let larger = OutputMemory(capacity: max(memory.capacity * 2, count + more))
    larger.base.update(from: memory.base, count: count)
    position = larger.base + count
    memory = larger
    end = memory.base + memory.capacity
  }

  /// Room for `more` bytes at the end, of which ``advance(_:)`` then says how many were written.
  @inline(__always)
  mutating func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    reserve(more)
    return position
  }

  @inline(__always)
  mutating func advance(_ written: Int) { position += written }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    position.pointee = byte
    position += 1
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafePointer<UInt8>, count more: Int) {
    reserve(more)
    position.update(from: bytes, count: more)
    position += more
  }

  /// Bytes behind which there are ``OutputMemory/slack`` more that may be read: short ones, as most are, are copied
  /// without asking how many there are.
  @inline(__always)
  mutating func append(padded bytes: UnsafePointer<UInt8>, count more: Int) {
    reserve(more)
    if more <= OutputMemory.slack {
      UnsafeMutableRawPointer(position).storeBytes(
        of: UnsafeRawPointer(bytes).loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
    } else {
      position.update(from: bytes, count: more)
    }
    position += more
  }

  /// A part of a plan's text.
  @inline(__always)
  mutating func append(_ part: ExecutablePlan.Text, of text: UnsafeMutablePointer<UInt8>) {
    append(padded: text + Int(part.start), count: Int(part.count))
  }

  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(text.utf8Start, count: text.utf8CodeUnitCount)
  }
}
