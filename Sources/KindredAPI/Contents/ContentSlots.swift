import Foundation
import KindredHTTP
import KindredSystem
import Synchronization

/// Bounds how many long contents are read and planned at once, to the number of processors, and the memory that is taken
/// by what is made of them.
///
/// A request waits for its turn without a thread, and with its content as it was received.
final class ContentSlots: Sendable {
  /// The length in bytes from which a content is long.
  static let length = 64 << 10
  /// From so many bytes on, memory goes back to the system before another content takes it: each thread would otherwise
  /// keep for itself what it has freed.
  private static let returned = 4 << 20

  private let queue: Mutex<ContentQueue>
  private let freed: FreedMemory
  private let memory: Int

  /// - Parameters:
  ///   - freed: Told of the memory that contents have taken.
  ///   - count: How many contents are read at once.
  ///   - memory: The number of bytes for what is made of contents.
  init(
    _ freed: FreedMemory, count: Int = max(1, ProcessInfo.processInfo.activeProcessorCount), memory: Int
  ) {
    self.freed = freed
    self.memory = memory
    queue = Mutex(ContentQueue(processors: count, memory: memory))
  }

  /// The bytes for the contents that are being read or carried out.
  var taken: Int { queue.withLock(\.taken) }

  /// Calls `body` with a slot once one is free, or with nil if the client leaves before, on any thread.
  func whenFree(
    for client: HTTPCancellation, _ content: [UInt8], _ body: @escaping @Sendable (ContentSlot?) -> Void
  ) {
    let size = min(Self.readSize(of: content), memory)
    queue.withLock { queue in
      let number = queue.enqueue(size) { [self] isGranted in
        guard isGranted else { return body(nil) }
        client.onCancel(nil)
        body(ContentSlot(in: self, size))
      }
      // Set before the slot can be granted, since the request then sets other actions. It withdraws on another thread,
      // because the action must be short.
      client.onCancel { [self] in DispatchQueue.global().async { [self] in withdraw(number) } }
    }
    grantNext()
  }

  private func grantNext() {
    for call in queue.withLock({ $0.next() }) { call() }
  }

  private func withdraw(_ number: UInt64) {
    queue.withLock { $0.withdraw(number) }?()
    // It may have kept others waiting.
    grantNext()
  }

  fileprivate func endReading() {
    queue.withLock { $0.endReading() }
    grantNext()
  }

  fileprivate func giveBack(_ size: Int) {
    if size >= Self.returned { returnMemory() }
    // The content as it was received is freed after that.
    freed.giveBack()
    queue.withLock { $0.giveBack(size) }
    grantNext()
  }

  /// Returns whether a content must wait for its turn: it is long, or what is made of it is.
  static func isLong(_ content: [UInt8]) -> Bool {
    content.count >= length || content.count >= length / 16 && readSize(of: content) >= 16 * length
  }

  /// Returns about the bytes that are taken by what is made of a content: by the parts of a document or of a query, as
  /// far as commas, brackets and other separators tell.
  private static func readSize(of content: [UInt8]) -> Int {
    content.count * 2 + content.count { separators[Int($0)] } * 160
  }

  /// By the values of bytes.
  private static let separators = (UInt8.min...UInt8.max).map(",:[{&(".utf8.contains)
}

/// The turn of a request with a long content.
///
/// It ends when nothing refers to it: a request that is carried out refers to it until it is answered, and a client may
/// leave before.
final class ContentSlot: Sendable {
  private let slots: ContentSlots
  private let size: Int
  private let isRead = Atomic(false)

  fileprivate init(in slots: ContentSlots, _ size: Int) {
    self.slots = slots
    self.size = size
  }

  deinit {
    let isRead = isRead.load(ordering: .acquiring)
    // On another thread, since the slots of many clients that have left would otherwise be released within one another,
    // and what the request refers to is released at the same time.
    DispatchQueue.global().async { [slots, size] in
      if !isRead { slots.endReading() }
      slots.giveBack(size)
    }
  }

  /// Lets the next request read its content.
  func endReading() {
    guard !isRead.exchange(true, ordering: .acquiringAndReleasing) else { return }
    slots.endReading()
  }
}
