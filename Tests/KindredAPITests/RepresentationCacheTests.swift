import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredOutput
@testable import KindredRequests

@Suite("The cache of representations")
struct RepresentationCacheTests {
  private func entry(_ number: Int, length: Int, content: Int? = nil) -> RepresentationCache.Entry {
    let target = "/\(number)" + String(repeating: "x", count: length)
    let records = RecordsQuery(
      path: target[...], segments: [], query: URLQuery(nil), principal: .operator)
    return RepresentationCache.Entry(
      RepresentationCache.Key(records), model: 1, state: 1, tables: ReadTables(), tag: ContentHash().finish(),
      fields: HTTPHeaders(), isLong: false, isStreamed: false,
      content: content.map { RepresentationCache.Content(bytes: [UInt8](repeating: 0, count: $0)) })
  }

  @Test
  func `one entry more than there is room for evicts few, not all`() {
    let cache = RepresentationCache(contents: 0)
    // As many as fit into 16 MiB, and one more.
    let entries = (0...300).map { entry($0, length: 60_000) }
    for entry in entries { cache.store(entry) }
    let kept = entries.filter { cache.entry(for: $0.key) != nil }
    // Keys may have the same place.
    #expect(kept.count > 200 && kept.count < 300)
    #expect(cache.entry(for: entries[300].key) != nil, "the latest one is there")
  }

  @Test
  func `contents have room of their own, and evict only as many`() {
    let cache = RepresentationCache(contents: 16 << 20)
    let entries = (0...40).map { entry($0, length: 1, content: 1 << 20) }
    for entry in entries { cache.store(entry) }
    let kept = entries.filter { cache.entry(for: $0.key) != nil }
    #expect(kept.count > 12 && kept.count < 17)
    #expect(cache.entry(for: entries[40].key)?.content?.bytes.count == 1 << 20)
  }

  @Test(arguments: [0, 1, 15, 16])
  func `a content for which there is no room isn't kept`(room: Int) {
    let cache = RepresentationCache(contents: room)
    let plain = entry(1, length: 1, content: 0)
    cache.store(plain)
    var content = RepresentationCache.Content(bytes: [])
    content.compressed = [UInt8](repeating: 0, count: 20)
    cache.replace(plain, by: plain.with(content))
    cache.store(entry(2, length: 1, content: 17))
    #expect(cache.entry(for: plain.key)?.content?.compressed == nil)
    #expect(cache.entry(for: entry(2, length: 1).key) == nil)
  }
}
