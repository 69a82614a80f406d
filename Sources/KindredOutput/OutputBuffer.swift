/// Bytes on their way out: memory that is written, handed on and written again.
///
/// Nothing is allocated per value: numbers, strings and JSON go from SQLite's memory straight into it. It is a value
/// that is never copied, so that the loop that fills it counts no references and checks no access.
package struct OutputBuffer: ~Copyable {
  package private(set) var memory: OutputMemory
  /// Where the next byte goes.
  @usableFromInline var position: UnsafeMutablePointer<UInt8>
  @usableFromInline var end: UnsafeMutablePointer<UInt8>
  /// From where on there is as much as a part of a result holds.
  @usableFromInline var fullMark: UnsafeMutablePointer<UInt8>

  package init(_ memory: OutputMemory) {
    self.memory = memory
    position = memory.base
    end = memory.base + memory.capacity
    fullMark = memory.base + min(OutputMemory.partSize, memory.capacity)
  }

  package init(capacity: Int) { self.init(OutputMemory(capacity: capacity)) }

  @inlinable package var count: Int { position - memory.base }

  /// Whether there is a part of a result, so that it is time to hand it on.
  @inlinable package var isFull: Bool { position >= fullMark }

  /// What was written; valid until the next write.
  @inlinable package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory.base, count: count)
  }

  @inlinable package mutating func removeAll() { position = memory.base }

  /// Takes back what was written after the first `length` bytes.
  @inlinable package mutating func truncate(to length: Int) {
    if length < count { position = memory.base + length }
  }

  /// Makes room for `more` bytes.
  @inlinable @inline(__always)
  package mutating func reserve(_ more: Int) {
    if end - position < more { grow(more) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ more: Int) {
    let larger = OutputMemory(capacity: max(memory.capacity * 2, count + more))
    larger.base.update(from: memory.base, count: count)
    position = larger.base + count
    memory = larger
    end = memory.base + memory.capacity
    fullMark = memory.base + OutputMemory.partSize
  }

  /// Room for `more` bytes at the end, of which ``advance(_:)`` then says how many were written.
  @inlinable @inline(__always)
  package mutating func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    reserve(more)
    return position
  }

  @inlinable @inline(__always)
  package mutating func advance(_ written: Int) { position += written }

  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    position.pointee = byte
    position += 1
  }

  @inlinable @inline(__always)
  package mutating func append(_ bytes: UnsafePointer<UInt8>, count more: Int) {
    reserve(more)
    position.update(from: bytes, count: more)
    position += more
  }

  /// Bytes behind which there are ``OutputMemory/slack`` more that may be read: short ones, as most are, are copied
  /// without asking how many there are.
  @inlinable @inline(__always)
  package mutating func append(padded bytes: UnsafePointer<UInt8>, count more: Int) {
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
  @inlinable @inline(__always)
  package mutating func append(_ part: ExecutablePlan.Text, of text: UnsafeMutablePointer<UInt8>) {
    append(padded: text + Int(part.start), count: Int(part.count))
  }

  @inlinable @inline(__always)
  package mutating func append(_ text: StaticString) {
    append(text.utf8Start, count: text.utf8CodeUnitCount)
  }
}
