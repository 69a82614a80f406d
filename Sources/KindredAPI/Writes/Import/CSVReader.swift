import KindredModel
import KindredHTTP
import KindredRequests

/// Reads the records of CSV (RFC 4180); lines may also end in a bare line feed.
struct CSVReader: ~Copyable {
  /// A field of the current record.
  struct Field {
    /// The end of the field in `bytes`.
    var end: Int
    /// Whether the field was quoted: an empty quoted field is the empty text, an unquoted one is NULL.
    var isQuoted: Bool
  }

  private enum State {
    case fieldStart, plain, quoted, quoteInQuoted, carriageReturn
  }

  private var content: ContentReader
  private var part = UnsafeRawBufferPointer(start: nil, count: 0)
  private var place = 0
  private var nextLine = 1
  private var isAtStart = true
  /// The number of the line on which the current record begins, from 1.
  private(set) var line = 0
  /// The fields of the current record, concatenated.
  private(set) var bytes: [UInt8] = []
  private(set) var fields: [Field] = []

  init(_ request: HTTPRequest) {
    content = ContentReader(request)
  }

  /// Whether the current record is a line without anything.
  var isBlank: Bool { bytes.isEmpty && fields.count == 1 && !fields[0].isQuoted }

  /// Calls `body` with the bytes of a field, or with nil if the field is NULL.
  func withField<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result
  {
    let start = index == 0 ? 0 : fields[index - 1].end
    let field = fields[index]
    guard field.end > start || field.isQuoted else { return try body(nil) }
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<field.end])) }
  }

  /// Reads the next record; returns false at the end.
  ///
  /// - Throws: `Problem` (400) if the content isn't CSV.
  mutating func next() throws -> Bool {
    bytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    line = nextLine
    var state = State.fieldStart
    while true {
      if place == part.count {
        part = try content.next()
        place = 0
        if part.isEmpty { return try finish(state) }
        skipMark()
      }
      switch state {
      case .plain: takePlain()
      case .quoted: takeQuoted()
      case .fieldStart, .quoteInQuoted, .carriageReturn: break
      }
      try checkLength()
      // The part may have contained only a byte order mark.
      if place == part.count { continue }
      let byte = part[place]
      place += 1
      let isEnd = try take(byte, &state)
      try checkLength()
      if isEnd { return true }
    }
  }

  private func checkLength() throws {
    guard bytes.count <= ContentReader.maximumRecordLength, fields.count <= Self.maximumFields else {
      throw Problem.longRecord(line)
    }
  }

  /// The largest number of columns that SQLite can be compiled for (<https://www.sqlite.org/limits.html#max_column>).
  private static let maximumFields = 32767

  /// Processes one significant byte; returns true if it ends the record.
  private mutating func take(_ byte: UInt8, _ state: inout State) throws -> Bool {
    switch (state, byte) {
    case (.fieldStart, UInt8(ascii: "\"")): state = .quoted
    case (.quoted, _):
      // `takeQuoted` has consumed everything up to a quote.
      state = .quoteInQuoted
    case (.quoteInQuoted, UInt8(ascii: "\"")):
      bytes.append(byte)
      state = .quoted
    case (_, UInt8(ascii: ",")) where state != .carriageReturn:
      endField(isQuoted: state == .quoteInQuoted)
      state = .fieldStart
    case (_, 0x0A):
      if state != .carriageReturn { endField(isQuoted: state == .quoteInQuoted) }
      nextLine += 1
      return true
    case (_, 0x0D) where state != .carriageReturn:
      endField(isQuoted: state == .quoteInQuoted)
      state = .carriageReturn
    case (.carriageReturn, _):
      throw Problem.malformedCSV("a carriage return is not followed by a line feed", line)
    case (.quoteInQuoted, _): throw Problem.malformedCSV("text follows a field's closing quote", line)
    case (_, UInt8(ascii: "\"")):
      throw Problem.malformedCSV("there is a quote within a field that doesn't begin with one", line)
    default:
      bytes.append(byte)
      state = .plain
    }
    return false
  }

  /// Consumes the bytes up to the next significant one.
  private mutating func takePlain() {
    let rest = UnsafeRawBufferPointer(rebasing: part[place...])
    let end =
      rest.firstIndex { $0 == 0x2C || $0 == 0x0A || $0 == 0x0D || $0 == 0x22 } ?? rest.count
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<end]))
    place += end
  }

  private mutating func takeQuoted() {
    let rest = UnsafeRawBufferPointer(rebasing: part[place...])
    let end = rest.firstIndex(of: 0x22) ?? rest.count
    let text = UnsafeRawBufferPointer(rebasing: rest[..<end])
    nextLine += text.count { $0 == 0x0A }
    bytes.append(contentsOf: text)
    place += end
  }

  private mutating func endField(isQuoted: Bool) {
    fields.append(Field(end: bytes.count, isQuoted: isQuoted))
  }

  private mutating func finish(_ state: State) throws -> Bool {
    switch state {
    case .quoted: throw Problem.malformedCSV("the content ends within a quoted field", line)
    case .fieldStart where fields.isEmpty && bytes.isEmpty: return false
    case .carriageReturn: return true
    case .fieldStart, .plain, .quoteInQuoted:
      endField(isQuoted: state == .quoteInQuoted)
      return true
    }
  }

  /// Some editors begin UTF-8 with a byte order mark.
  private mutating func skipMark() {
    guard isAtStart else { return }
    isAtStart = false
    if part.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }
}

extension Problem {
  /// 400: the content isn't CSV.
  static func malformedCSV(_ detail: String, _ line: Int) -> Problem {
    var problem = Problem(.malformedCSV, "the content is not CSV: \(detail)")
    problem.line = line
    return problem
  }

  /// 400: a record would need too much memory.
  static func longRecord(_ line: Int) -> Problem {
    let most = ContentReader.maximumRecordLength >> 20
    var problem = Problem(
      RequestError(.limitExceeded, "a record of an import may have at most \(most) MiB"))
    problem.line = line
    return problem
  }
}
