import KindredSQLSyntax
import Testing

@testable import KindredModel
@testable import KindredPlanning
@testable import KindredOutput

/// Rows in memory, by node and by the first value of the row above.
private struct ListSource: RowSource {
  struct Position {
    let rows: [[String?]]
    var number = -1
  }

  enum Obstacle {
    case unread(node: Int32)
    case unreadRows
  }

  /// For each node the rows below each record; those of the root are below "".
  let rows: [[String: [[String?]]]]
  /// The nodes whose rows have not been read yet.
  var unread: Set<Int32> = []
  /// The nodes that are omitted below a record.
  var omitted: Set<Int32> = []
  /// The root's rows that have not been read yet.
  var unreadRows: [[String?]] = []

  mutating func advance(
    _ frames: UnsafeMutablePointer<ResultFrame<Position>>, _ count: Int
  ) -> RowAdvance<Obstacle> {
    let top = frames + (count - 1)
    let next = top.pointee.position.number + 1
    guard next < top.pointee.position.rows.count else {
      return top.pointee.node == 0 && !unreadRows.isEmpty ? .obstacle(.unreadRows) : .end
    }
    top.pointee.position.number = next
    return top.pointee.position.rows[next].first == "skipped" ? .skipped : .row
  }

  mutating func open(
    _ node: Int32, below frames: UnsafeMutablePointer<ResultFrame<Position>>, _ count: Int
  ) -> RowOpening<Position, Obstacle> {
    if omitted.contains(node) { return .omitted }
    if unread.contains(node) { return .obstacle(.unread(node: node)) }
    return .opened(position(of: node, below: value(0, at: frames[count - 1].position) ?? ""))
  }

  func position(of node: Int32, below key: String) -> Position {
    Position(rows: rows[Int(node)][key] ?? [])
  }

  func close(_ node: Int32, at position: Position) {}

  private func value(_ column: Int32, at position: Position) -> String? {
    position.rows[position.number][Int(column)]
  }

  func isNull(_ column: Int32, at position: Position) -> Bool { value(column, at: position) == nil }
  func append(
    _ column: Int32, at position: Position, as operation: ExecutablePlan.Operation,
    to output: inout OutputBuffer
  ) -> Bool {
    guard let text = value(column, at: position) else {
      output.append("null")
      return true
    }
    // Long texts are written in slices.
    guard text.utf8.count <= 1000 else { return false }
    Array(text.utf8).withUnsafeBytes { output.append(string: $0) }
    return true
  }

  func withValue<Result>(
    _ column: Int32, at position: Position, bytes range: Range<Int>, _ body: (RowValue) -> Result
  ) -> Result {
    guard let text = value(column, at: position) else { return body(.null) }
    return Array(text.utf8).withUnsafeBytes { body(.text($0)) }
  }
}

@Suite("The rows of any source are written alike")
struct ResultWriterTests {
  private static func shape(_ members: (String, RecordShape)...) -> RecordShape {
    .object(members.map { RecordShape.Member(name: $0, shape: $1, isRepetition: false) })
  }

  private static func node(_ shape: RecordShape, isToMany: Bool = true) -> Plan.Node {
    Plan.Node(
      statement: Plan.Statement("SELECT 1"), shape: shape, isToMany: isToMany, level: 0, recursion: nil,
      name: "")
  }

  /// Authors with their books and their country.
  private static var plan: Plan {
    var plan = Plan()
    plan.nodes = [
      node(
        shape(
          ("id", .value(column: 0, .plain)), ("name", .value(column: 1, .plain)), ("books", .child(node: 1)),
          ("country", .child(node: 2)))),
      node(shape(("title", .value(column: 0, .plain)))),
      node(.optional(column: 0, shape(("code", .value(column: 0, .plain)))), isToMany: false),
    ]
    return plan
  }

  private static func writer(
    _ source: consuming ListSource, limit: Int? = nil, format: ResultFormat = .json
  ) throws -> ResultWriter<ListSource> {
    let root = source.position(of: 0, below: "")
    var writer = ResultWriter(try ExecutablePlan(plan, format: format), limit: limit, source)
    writer.begin(root)
    return writer
  }

  private static var authors: ListSource {
    ListSource(rows: [
      ["": [["1", "Melville"], ["2", nil]]], ["1": [["Moby-Dick"], ["Typee"]]], ["1": [["US"], ["FR"]]],
    ])
  }

  private func text(_ writer: borrowing ResultWriter<ListSource>) -> String {
    String(decoding: writer.output.bytes, as: UTF8.self)
  }

  /// What is written of ``authors``.
  private static let wholeText = """
    [{"id":"1","name":"Melville","books":[{"title":"Moby-Dick"},{"title":"Typee"}],"country":{"code":"US"}},\
    {"id":"2","name":null,"books":[],"country":null}]
    """

  @Test
  func `lists, single records and NULLs are nested in the order of the members`() throws {
    var writer = try Self.writer(Self.authors)
    guard case .finished = writer.run() else {
      Issue.record("it hasn't finished")
      return
    }
    let text = text(writer)
    #expect(text == Self.wholeText)
  }

  @Test
  func `a source may skip rows, and omit a member with its name`() throws {
    let authors = Self.authors.rows
    let source = ListSource(
      rows: [["": [["skipped", nil]] + (authors[0][""] ?? [])], authors[1], authors[2]], omitted: [1])
    var writer = try Self.writer(source)
    _ = writer.run()
    let text = text(writer)
    #expect(
      text == """
        [{"id":"1","name":"Melville","country":{"code":"US"}},{"id":"2","name":null,"country":null}]
        """)
  }

  @Test
  func `a node that is not read yet is opened again when it is`() throws {
    var source = Self.authors
    source.unread = [2]
    var writer = try Self.writer(source)
    guard case .obstacle(.unread(node: 2)) = writer.run() else {
      Issue.record("it doesn't wait")
      return
    }
    writer.source.unread = []
    _ = writer.run()
    let text = text(writer)
    #expect(text == Self.wholeText)
  }

  @Test
  func `a list continues with rows that are read later`() throws {
    var source = Self.authors
    source.unreadRows = [["3", "Zola"]]
    var writer = try Self.writer(source)
    guard case .obstacle(.unreadRows) = writer.run() else {
      Issue.record("it doesn't wait")
      return
    }
    writer.frames[0].position = ListSource.Position(rows: writer.source.unreadRows)
    writer.source.unreadRows = []
    _ = writer.run()
    let text = text(writer)
    #expect(text.contains("{\"id\":\"2\",\"name\":null,\"books\":[],\"country\":null},{"))
    #expect(text.hasSuffix(",{\"id\":\"3\",\"name\":\"Zola\",\"books\":[],\"country\":null}]"))
  }

  @Test(arguments: [0, 1, 2, 3])
  func `one row more than the limit is read, to know whether more follow`(limit: Int) throws {
    var writer = try Self.writer(Self.authors, limit: limit)
    var pauses = 0
    while case .lastRecord = writer.run() { pauses += 1 }
    #expect(pauses == (limit == 0 || limit > 2 ? 0 : 1))
    let (hasMore, isFinished) = (writer.hasMore, writer.isFinished)
    #expect(hasMore == (limit < 2))
    #expect(isFinished)
    let text = text(writer)
    #expect(text.split(separator: "\"id\"").count - 1 == min(limit, 2))
  }

  @Test
  func `a value longer than a part is written in several`() throws {
    let long = String(repeating: "x", count: OutputMemory.partSize * 5 / 2)
    let source = ListSource(rows: [["": [["1", long]]], [:], [:]])
    var writer = try Self.writer(source)
    var parts: [String] = []
    loop: while true {
      let pause = writer.run()
      parts.append(text(writer))
      writer.output.removeAll()
      switch pause {
      case .full: continue
      case .finished: break loop
      case .lastRecord, .obstacle: Issue.record("it pauses for another reason")
      }
    }
    #expect(parts.count == 3)
    #expect(parts.allSatisfy { $0.utf8.count <= OutputMemory.partSize + 1024 })
    #expect(parts.joined() == "[{\"id\":\"1\",\"name\":\"\(long)\",\"books\":[],\"country\":null}]")
  }
}
