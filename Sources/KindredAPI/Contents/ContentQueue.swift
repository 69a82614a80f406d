/// Decides which contents are read: in the order in which they arrived, as soon as a processor is free and there is
/// memory for what is made of them.
///
/// Its owner protects it by a lock, and calls the closures that it returns after releasing the lock.
struct ContentQueue {
  /// Called once: whether the content may be read; otherwise it isn't wanted any more.
  typealias Decision = @Sendable (_ isGranted: Bool) -> Void
  /// A decision, to be called without holding a lock.
  typealias Call = @Sendable () -> Void

  /// How many contents are read at once.
  let processors: Int
  /// The number of bytes for what is made of contents.
  let memory: Int
  /// How many contents are being read.
  private(set) var reading = 0
  /// The bytes for the contents that are being read or carried out.
  private(set) var taken = 0
  private var waiting: [(number: UInt64, size: Int, decision: Decision)] = []
  private var lastNumber: UInt64 = 0

  init(processors: Int, memory: Int) {
    self.processors = processors
    self.memory = memory
  }

  /// Adds a content.
  ///
  /// - Parameter size: The bytes for what is made of it, at most `memory`.
  /// - Returns: The number by which it is withdrawn.
  mutating func enqueue(_ size: Int, _ decision: @escaping Decision) -> UInt64 {
    lastNumber += 1
    waiting.append((lastNumber, size, decision))
    return lastNumber
  }

  /// Removes a content that isn't wanted any more, unless it may be read already.
  ///
  /// - Returns: The call that says so; nil if it may be read already.
  mutating func withdraw(_ number: UInt64) -> Call? {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return nil }
    let decision = waiting.remove(at: index).decision
    return { decision(false) }
  }

  /// Takes what the next contents need; returns the calls that begin to read them.
  mutating func next() -> [Call] {
    var granted = 0
    while granted < waiting.count, reading < processors, taken + waiting[granted].size <= memory {
      reading += 1
      taken += waiting[granted].size
      granted += 1
    }
    defer { waiting.removeFirst(granted) }
    return waiting.prefix(granted).map { waiter in { waiter.decision(true) } }
  }

  /// Notes that a content has been read.
  mutating func endReading() { reading -= 1 }

  /// Notes that a content has been carried out.
  mutating func giveBack(_ size: Int) { taken -= size }
}
