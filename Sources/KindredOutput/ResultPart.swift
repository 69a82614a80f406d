/// A part of a result, independent of the transaction that it was read in.
///
/// Its memory returns to the pool on deinit.
public final class ResultPart {
  private let memory: OutputMemory
  private let count: Int

  package init(_ memory: OutputMemory, count: Int) {
    self.memory = memory
    self.count = count
  }

  deinit { memory.giveBack() }

  /// The bytes of the part; valid as long as this object lives.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.base, count: count) }
}

extension [ResultPart] {
  /// The number of bytes of all parts.
  public var byteCount: Int { reduce(0) { $0 + $1.bytes.count } }

  /// The bytes of all parts.
  public var joinedBytes: [UInt8] {
    var joined: [UInt8] = []
    joined.reserveCapacity(byteCount)
    for part in self { joined += part.bytes }
    return joined
  }
}
