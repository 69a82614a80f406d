import Synchronization
import Testing

@testable import KindredRemote

@Suite("The content of an answer")
struct ReceivedContentTests {
  struct Broken: Error {}

  /// A part of a length, whose bytes tell its number.
  private func part(_ number: Int, length: Int) -> [UInt8] {
    (0..<length).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
  }

  @Test
  func `what isn't read yet waits in a file beyond the limit, and loses nothing`() async throws {
    let content = ReceivedContent(memoryLimit: 10_000) {}
    var sent: [UInt8] = []
    for number in 0..<2000 {
      let part = part(number, length: 1000 + number % 7)
      content.receive(part)
      sent += part
      #expect(content.memoryLength <= 10_000)
    }
    content.finish()
    var received: [UInt8] = []
    for try await part in content.parts { received += part }
    #expect(received == sent)
  }

  @Test
  func `a reader that falls behind and catches up reads each part once, in order`() async throws {
    let content = ReceivedContent(memoryLimit: 2000) {}
    var parts = content.parts.makeAsyncIterator()
    var (sent, received): ([UInt8], [UInt8]) = ([], [])
    for number in 0..<300 {
      // Behind by more than memory holds, then by nothing, in turn.
      let part = part(number, length: 1 + number % 900)
      content.receive(part)
      sent += part
      guard number % 40 > 20 else { continue }
      while received.count < sent.count { received += try await parts.next() ?? [] }
      #expect(received == sent)
      #expect(content.memoryLength == 0)
    }
    content.finish()
    while let part = try await parts.next() { received += part }
    #expect(received == sent)
  }

  @Test
  func `a reader that waits gets what arrives, and then the end`() async throws {
    let content = ReceivedContent {}
    let reader = Task {
      var received: [[UInt8]] = []
      for try await part in content.parts { received.append(part) }
      return received
    }
    content.receive([1, 2])
    content.receive([3])
    content.finish()
    #expect(try await reader.value.flatMap(\.self) == [1, 2, 3])
  }

  @Test
  func `an error comes after what has arrived before it`() async throws {
    let content = ReceivedContent(memoryLimit: 2) {}
    for number in UInt8(1)...6 { content.receive([number]) }
    content.finish(throwing: Broken())
    content.receive([7])
    var received: [UInt8] = []
    await #expect(throws: Broken.self) { for try await part in content.parts { received += part } }
    #expect(received == [1, 2, 3, 4, 5, 6])
  }

  @Test
  func `where nobody reads any more, the content is closed`() async throws {
    let closed = Mutex(0)
    let content = ReceivedContent(memoryLimit: 2) { closed.withLock { $0 += 1 } }
    content.receive([1])
    for try await part in content.parts {
      #expect(part == [1])
      break
    }
    content.receive([2])
    #expect(closed.withLock { $0 } == 1)
    #expect(content.memoryLength == 0)
  }

  @Test
  func `a reader whose task is cancelled waits no longer`() async throws {
    let closed = Mutex(0)
    let content = ReceivedContent { closed.withLock { $0 += 1 } }
    let reader = Task {
      for try await _ in content.parts {}
    }
    reader.cancel()
    _ = await reader.result
    #expect(closed.withLock { $0 } > 0)
  }
}
