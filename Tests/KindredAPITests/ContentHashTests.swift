import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Content hash")
struct ContentHashTests {
  private func hash(_ parts: [String]) -> String {
    var hash = ContentHash()
    for part in parts { hash.update(part) }
    return hash.finish().text
  }

  @Test
  func `it is that of MetroHash, 128 bits, seed 0, as its author gives it`() {
    let text = "012345678901234567890123456789012345678901234567890123456789012"
    #expect(hash([text]) == "c77ce2bfa4ed9f9b0548b2ac5074a297")
  }

  @Test
  func `each byte counts, and so does the length`() {
    var texts: [String] = []
    for count in 0..<100 {
      texts.append(String(repeating: "\0", count: count))
      for place in 0..<count {
        let (before, after) = (
          String(repeating: "a", count: place), String(repeating: "a", count: count - place - 1)
        )
        texts.append(before + "b" + after)
      }
    }
    #expect(Set(texts.map { hash([$0]) }).count == texts.count)
  }

  @Test
  func `however the content is cut in parts`() {
    let text = String((0..<100).flatMap { "\($0)," })
    for cut in 0..<text.count {
      #expect(hash([String(text.prefix(cut)), String(text.dropFirst(cut))]) == hash([text]))
    }
    #expect(hash(text.map(String.init)) == hash([text]))
  }
}
