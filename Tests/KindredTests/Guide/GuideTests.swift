import Testing

@Suite("The guide is true")
struct GuideTests {
  @Test
  func `every sample of the guide and of the README is compiled and run, word by word`() throws {
    let compiled = try Samples.compiled()
    var shown: Set<String> = []
    for article in try Samples.articles() + ["README"] {
      for block in try Samples.blocks(of: article, in: "swift") {
        #expect(compiled.contains(block), "\(article) shows what no test compiles:\n\(block)")
        shown.insert(block)
      }
    }
    #expect(shown.count > 50)
    for sample in compiled.subtracting(shown) {
      Issue.record("No article shows:\n\(sample)")
    }
  }
}
