import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredOutput
@testable import KindredRequests

@Suite("The cache of representations")
struct RepresentationCacheTests {
  private func entry(_ number: Int, length: Int) -> RepresentationCache.Entry {
    let target = "/\(number)" + String(repeating: "x", count: length)
    return RepresentationCache.Entry(
      key: RepresentationCache.Key(path: target[...], query: "", type: .json, rights: [], standing: []),
      model: 1, state: 1, tables: ReadTables(), tag: ContentHash().finish(), fields: HTTPHeaders(),
      isLong: false,
      isStreamed: false)
  }

  @Test
  func `one entry more than there is room for evicts few, not all`() {
    let cache = RepresentationCache()
    // As many as fit into 16 MiB, and one more.
    let entries = (0...300).map { entry($0, length: 60_000) }
    for entry in entries { cache.store(entry) }
    let kept = entries.filter { cache.entry(for: $0.key) != nil }
    // Keys may have the same place.
    #expect(kept.count > 200 && kept.count < 300)
    #expect(cache.entry(for: entries[300].key) != nil, "the latest one is there")
  }
}
