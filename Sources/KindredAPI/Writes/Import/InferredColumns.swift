import KindredHTTP
import KindredRequests
import KindredSpooling

/// The columns of a new table for the records of an import, with types that fit all their values.
public struct InferredColumns {
  /// A column.
  public struct Column: Hashable, Sendable {
    /// The name, as in the header or the objects.
    public let name: String
    /// The declared type; empty if the values have several.
    public let type: String
    /// Whether every record has a value that isn't NULL.
    public let isAlwaysGiven: Bool
    /// The first value that is no number, of a column of texts in which it has digits; nil for others.
    public let firstText: String?
  }

  /// The columns in the order in which they first occur.
  public private(set) var columns: [Column] = []

  private enum ValueType {
    case boolean, integer, real, text, json

    func joined(with other: ValueType?) -> ValueType? {
      guard let other, other != self else { return self }
      return [self, other].allSatisfy { $0 == .integer || $0 == .real } ? .real : nil
    }

    var name: String {
      switch self {
      case .boolean: "BOOLEAN"
      case .integer: "INTEGER"
      case .real: "REAL"
      case .text: "TEXT"
      case .json: "JSON"
      }
    }
  }

  private struct Draft {
    var name: String
    var count = 0
    var type: ValueType?
    var isMixed = false
    var firstText: String?

    mutating func add(_ value: ValueType, textual: Bool, _ text: String = "") {
      count += 1
      if textual, value == .text, firstText == nil { firstText = text }
      guard !isMixed else { return }
      let joined = value.joined(with: type)
      // Fields of CSV are texts, whatever they look like.
      type = joined ?? (textual ? .text : nil)
      isMixed = type == nil
    }
  }

  private var drafts: [Draft] = []
  private var positions: [String: Int] = [:]

  /// Reads all records.
  ///
  /// - Parameter isCSV: whether the content is CSV; JSON Lines otherwise.
  /// - Throws: `Problem` for content that isn't in the format.
  public init(of content: ContentFile, isCSV: Bool) throws {
    let request = HTTPRequest(method: .post, target: "/", headers: [:], longBody: content)
    let count = isCSV ? try readCSV(request) : try readLines(request)
    columns = drafts.map { draft in
      Column(
        name: draft.name, type: draft.isMixed ? "" : (draft.type ?? .text).name,
        isAlwaysGiven: draft.count == count,
        firstText: draft.firstText.flatMap { $0.contains(where: \.isNumber) ? $0 : nil })
    }
  }

  // MARK: CSV

  private mutating func readCSV(_ request: HTTPRequest) throws -> Int {
    var reader = CSVReader(request)
    guard try reader.next(), !reader.isBlank else {
      throw Problem.malformedCSV("there is no header", 1)
    }
    for index in reader.fields.indices {
      let name = reader.withField(index) { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
      guard !name.isEmpty else { throw Problem.malformedCSV("a column of the header has no name", 1) }
      guard !drafts.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw Problem.malformedCSV("the header has the column `\(name)` twice; rename one of them", 1)
      }
      drafts.append(Draft(name: name))
    }
    var count = 0
    while try reader.next() {
      if reader.isBlank { continue }
      count += 1
      for index in reader.fields.indices where index < drafts.count {
        let text = reader.withField(index) { $0.map { String(decoding: $0, as: UTF8.self) } }
        if let text { drafts[index].add(Self.type(of: text), textual: true, text) }
      }
    }
    return count
  }

  /// Returns the type that shows a field of CSV as it is written: `007` is no number.
  private static func type(of text: String) -> ValueType {
    if text == "true" || text == "false" { return .boolean }
    if Int64(text) != nil, text.wholeMatch(of: /-?(0|[1-9][0-9]*)/) != nil { return .integer }
    return text.wholeMatch(of: /-?(0|[1-9][0-9]*)\.[0-9]+([eE][-+]?[0-9]+)?/) != nil ? .real : .text
  }

  // MARK: JSON Lines

  private mutating func readLines(_ request: HTTPRequest) throws -> Int {
    var lines = LineReader(request)
    var count = 0
    while try lines.next() {
      count += 1
      do {
        try read(try WriteContent.document(lines.bytes))
      } catch var problem as Problem {
        problem.line = lines.line
        throw problem
      }
    }
    return count
  }

  private mutating func read(_ document: JSONDocument) throws {
    guard case .object(let members) = document.root.content else {
      throw Problem(.malformedJSON, "a record must be a JSON object")
    }
    for member in members {
      let position = positions[member.name] ?? drafts.count
      if position == drafts.count {
        positions[member.name] = position
        drafts.append(Draft(name: member.name))
      }
      let type: ValueType? =
        switch member.value.content {
        case .null: nil
        case .boolean: .boolean
        case .number: Int64(document.text(of: member.value)) == nil ? .real : .integer
        case .string: .text
        case .array, .object: .json
        }
      if let type { drafts[position].add(type, textual: false) }
    }
  }
}
