/// A part of a result, apart from what it was read with.
public final class ResultPart {
  private let memory: OutputMemory
  private let count: Int

  package init(_ memory: OutputMemory, count: Int) {
    self.memory = memory
    self.count = count
  }

  deinit { memory.giveBack() }

  /// Valid as long as this object is.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.base, count: count) }
}
