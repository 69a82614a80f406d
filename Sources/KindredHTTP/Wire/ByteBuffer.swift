import KindredSystem

/// A queue of bytes, written at the end and read from the beginning, whose memory is reused.
struct ByteBuffer: ~Copyable {
  private var storage: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private static let leastCapacity = 16

  init(capacity: Int) {
    storage = .allocate(byteCount: max(capacity, Self.leastCapacity), alignment: 16)
  }

  deinit { storage.deallocate() }

  var count: Int { end - start }
  var isEmpty: Bool { start == end }

  /// The bytes that have been written but not consumed.
  ///
  /// Valid until the next change.
  var readable: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

  mutating func consume(_ count: Int) {
    start += count
    if start == end {
      start = 0
      end = 0
    }
  }

  /// Returns at least `count` bytes to write to; the caller passes `produced` the number that it wrote.
  ///
  /// Valid until the next change.
  mutating func writable(_ count: Int) -> UnsafeMutableRawBufferPointer {
    reserve(count)
    return UnsafeMutableRawBufferPointer(rebasing: storage[end...])
  }

  mutating func produced(_ count: Int) { end += count }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(rebasing: storage[end...]).baseAddress?
      .copyMemory(from: source, byteCount: bytes.count)
    end += bytes.count
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a nonnegative number.
  mutating func append(_ number: Int, radix: Int = 10) {
    var rest = number
    // An Int has at most 19 decimal digits.
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      var first = digits.count
      repeat {
        first -= 1
        let digit = UInt8(rest % radix)
        digits[first] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        rest /= radix
      } while rest > 0 && first > 0
      append(UnsafeRawBufferPointer(rebasing: digits[first...]))
    }
  }

  /// Releases the memory if the buffer is empty.
  mutating func trim() {
    guard isEmpty, storage.count > Self.leastCapacity else { return }
    storage.deallocate()
    storage = .allocate(byteCount: Self.leastCapacity, alignment: 16)
    start = 0
    end = 0
  }

  private mutating func reserve(_ count: Int) {
    if storage.count - end < count { makeRoom(for: count) }
  }

  @inline(never)
  private mutating func makeRoom(for count: Int) {
    let used = self.count
    if storage.count - used >= count, let base = storage.baseAddress {
      memmove(base, base + start, used)
    } else {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(used + count, storage.count * 2), alignment: 16)
      larger.copyMemory(from: readable)
      storage.deallocate()
      storage = larger
    }
    start = 0
    end = used
  }
}
