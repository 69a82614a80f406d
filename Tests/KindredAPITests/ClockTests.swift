import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Queries of the model file that tell the time, or chance")
struct ClockTests {
  private static let model = """
    resources:
      authors: { associations: { ticks: { hasMany: ticks, foreignKey: { authorId: id } } } }
    commonTableExpressions:
      ticks:
        sql: SELECT 1 AS id, 1 AS authorId, random() AS t
        key: [id]
      dated:
        parameters: { at: { type: text, default: today } }
        sql: SELECT id, title FROM book WHERE :at <> title
        key: [id]
    """

  @Test(arguments: [
    "/ticks", "/authors/1/ticks", "/authors?include=ticks", "/authors?annotate=x:ticks.max(t)",
    "/authors?filter=ticks.count>0&annotate=x:ticks.concat(t)",
  ])
  func `are read anew wherever they stand`(target: String) throws {
    let library = try TestDatabase(Library.schema + Library.records, modelFile: Self.model)
    let answers = try (1...6).map { _ in try library.answer(target) }
    #expect(answers.allSatisfy { $0.status == 200 })
    #expect(Set(answers.map(\.text)).count == 6)
    let tag = try #require(answers[5].headers["ETag"])
    #expect(try library.answer(target, headers: ["If-None-Match": tag]).status == 200)
  }

  /// The number of answers that needed no query.
  private func unchangedCount(_ library: TestDatabase) throws -> Int {
    let text = try library.answer("/-/metrics").text
    return text.firstMatch(of: /\nkindred_unchanged_answers(?:_total)? (\d+)/).flatMap { Int($0.1) } ?? -1
  }

  @Test
  func `a value of the model file that names a time is one`() throws {
    let library = try TestDatabase(Library.schema + Library.records, modelFile: Self.model)
    for (target, isKept) in [("/books?limit=2", true), ("/dated", false), ("/dated?at=1999-01-01", true)] {
      for _ in 1...3 { #expect(try library.answer(target).status == 200) }
      let count = try unchangedCount(library)
      _ = try library.answer(target)
      #expect(try (unchangedCount(library) > count) == isKept, "\(target)")
    }
  }
}
