/// A growable buffer of output bytes.
///
/// Numbers, strings and JSON go straight from the driver's memory into it, with no allocation per value. It is
/// noncopyable, so that the loop that fills it does no reference counting and no exclusivity checks.
///
/// What the loops over rows call is public, because Swift 6.3 inlines no function with package access into another
/// module, whatever its attributes.
public struct OutputBuffer: ~Copyable {
  @usableFromInline package private(set) var memory: OutputMemory
  /// Where the next byte goes.
  @usableFromInline var position: UnsafeMutablePointer<UInt8>
  @usableFromInline var end: UnsafeMutablePointer<UInt8>
  /// From this position on the buffer holds a whole part of a result.
  @usableFromInline var fullMark: UnsafeMutablePointer<UInt8>

  package init(_ memory: OutputMemory) {
    self.memory = memory
    position = memory.base
    end = memory.base + memory.capacity
    fullMark = memory.base + min(OutputMemory.partSize, memory.capacity)
  }

  package init(capacity: Int) { self.init(OutputMemory(capacity: capacity)) }

  package var count: Int { position - memory.base }

  /// Whether a whole part of a result has been written, which should now be sent.
  @inlinable public var isFull: Bool { position >= fullMark }

  /// The bytes written so far; valid until the next write.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory.base, count: count)
  }

  /// Discards everything, to begin a new part.
  package mutating func removeAll() {
    if memory.capacity == 0 { self = OutputBuffer(.take()) } else { position = memory.base }
  }

  /// Transfers what has been written with its memory; ``removeAll()`` then provides other memory.
  package mutating func takePart() -> ResultPart {
    let part = ResultPart(memory, count: count)
    self = OutputBuffer(capacity: 0)
    return part
  }

  /// Discards everything after the first `length` bytes.
  package mutating func truncate(to length: Int) {
    if length < count { position = memory.base + length }
  }

  /// Ensures room for `more` bytes.
  @inlinable @inline(__always)
  public mutating func reserve(_ more: Int) {
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

  /// Returns room for `more` bytes at the end; the caller then passes ``advance(_:)`` the number that it wrote.
  @inlinable @inline(__always)
  public mutating func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    reserve(more)
    return position
  }

  /// Notes that `written` bytes have been written to the room at the end.
  @inlinable @inline(__always)
  public mutating func advance(_ written: Int) { position += written }

  /// Appends a byte.
  @inlinable @inline(__always)
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    position.pointee = byte
    position += 1
  }

  /// Appends `more` bytes.
  @inlinable @inline(__always)
  public mutating func append(_ bytes: UnsafePointer<UInt8>, count more: Int) {
    reserve(more)
    position.update(from: bytes, count: more)
    position += more
  }

  /// Appends bytes that are followed by ``OutputMemory/slack`` readable ones.
  ///
  /// Short texts, as most are, are copied as one vector, whatever their length.
  @inlinable @inline(__always)
  public mutating func append(padded bytes: UnsafePointer<UInt8>, count more: Int) {
    reserve(more)
    if more <= OutputMemory.slack {
      UnsafeMutableRawPointer(position).storeBytes(
        of: UnsafeRawPointer(bytes).loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
    } else {
      position.update(from: bytes, count: more)
    }
    position += more
  }

  /// Appends a range of a plan's text.
  @inlinable @inline(__always)
  public mutating func append(_ part: ExecutablePlan.Text, of text: UnsafeMutablePointer<UInt8>) {
    append(padded: text + Int(part.start), count: Int(part.count))
  }

  /// Appends a text.
  @inlinable @inline(__always)
  public mutating func append(_ text: StaticString) {
    append(text.utf8Start, count: text.utf8CodeUnitCount)
  }
}
