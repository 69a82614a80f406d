import KindredCryptography
import Testing

@Suite("Sealed messages")
struct SealTests {
  private static let key = [UInt8](0..<32)
  private let seal = Seal(key: key)

  @Test
  func `what was sealed is opened with the same key and the same associated bytes alone`() throws {
    let seal = try #require(seal)
    let sealed = try #require(seal.seal([1, 2, 3], with: [9]))
    #expect(seal.open(sealed, with: [9]) == [1, 2, 3])
    #expect(seal.open(sealed, with: [8]) == nil)
    #expect(Seal(key: Self.key.reversed())?.open(sealed, with: [9]) == nil)
    #expect(Seal(key: Self.key)?.open(sealed, with: [9]) == [1, 2, 3])
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(seal.open(changed, with: [9]) == nil)
    }
    #expect(seal.open(sealed.dropLast(), with: [9]) == nil)
    #expect(seal.open([], with: [9]) == nil)
  }

  @Test
  func `RFC 5297, A.1`() throws {
    let key = try #require(
      [UInt8](hexadecimal: "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"))
    let associated = try #require(
      [UInt8](hexadecimal: "101112131415161718191a1b1c1d1e1f2021222324252627"))
    let message = try #require([UInt8](hexadecimal: "112233445566778899aabbccddee"))
    #expect(
      Seal(key: key)?.seal(message, with: associated)?.hexadecimal
        == "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c")
  }

  @Test
  func `a key has 32 bytes, a message has some`() {
    #expect(Seal(key: [1, 2, 3]) == nil)
    #expect(seal?.seal([], with: [1]) == nil)
  }
}
