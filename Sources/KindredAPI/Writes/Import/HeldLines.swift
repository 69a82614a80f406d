import KindredBackend
import KindredModel
import KindredSQLSyntax
import KindredRequests

/// The lines of an import whose records refer to records of later lines, where the database checks each statement: they
/// are added when all others have been.
final class HeldLines {
  typealias Line = (draft: RecordDraft, line: Int)

  private let resource: WrittenResource
  private var lines: [Line] = []
  private var length = 0

  /// The number of bytes of drafts that are held at most, about.
  private static let largestLength = 32 << 20

  /// Returns nil if no line can refer to another one, or the database checks foreign keys only at the end.
  init?(_ resource: WrittenResource, in transaction: any WriteTransaction) {
    guard transaction.checksEachStatement, !resource.table.ownForeignKeys.isEmpty else { return nil }
    self.resource = resource
  }

  /// Returns the lines that can be stored; a line that refers to a missing record, directly or by others, is held.
  ///
  /// - Throws: `RequestError` if too many are held.
  func ready(_ lines: [Line], by writer: RecordWriter) throws -> [Line] {
    var missing = try missingReferences(lines, by: writer)
    guard !missing.isEmpty else { return lines }
    // What refers to a line that is held is held, too.
    var count = 0
    while count != missing.count {
      count = missing.count
      for key in resource.table.ownForeignKeys {
        let keys = Set(missing.compactMap { lines[$0].draft.keyTexts(of: key.destinationColumns) })
        for (number, line) in lines.enumerated() where !missing.contains(number) {
          if let reference = line.draft.keyTexts(of: key.columns), keys.contains(reference) {
            missing.insert(number)
          }
        }
      }
    }
    for number in missing.sorted() {
      self.lines.append(lines[number])
      length += lines[number].draft.approximateLength
    }
    guard length <= Self.largestLength else {
      throw RequestError(
        .limitExceeded,
        "too many records refer to later ones; write each after the one that it refers to, or make the foreign key DEFERRABLE"
      )
    }
    return lines.indices.filter { !missing.contains($0) }.map { lines[$0] }
  }

  /// Returns the held lines in parts, each after the lines that it refers to; the lines of a part with several refer to one
  /// another.
  ///
  /// - Throws: `Problem` with the line of the first record that refers to nothing.
  func parts(by writer: RecordWriter) throws -> [[Line]] {
    defer { (lines, length) = ([], 0) }
    for number in try missingReferences(lines, by: writer).sorted() {
      for key in resource.table.ownForeignKeys where lines[number].draft.keyTexts(of: key.columns) != nil {
        guard try !isThere(key, lines[number], by: writer) else { continue }
        var problem = Problem.danglingReference(key.columns, at: lines[number].draft.pointer)
        problem.line = lines[number].line
        throw problem
      }
    }
    guard let order = ReferenceOrder(lines.map(\.draft), in: resource.table) else {
      return lines.map { [$0] }
    }
    return order.parts.map { $0.map { lines[$0] } }
  }

  /// Returns the numbers of the lines that refer to a record which is neither there nor among them.
  private func missingReferences(_ lines: [Line], by writer: RecordWriter) throws -> Set<Int> {
    var missing: Set<Int> = []
    for key in resource.table.ownForeignKeys {
      let known = Set(lines.compactMap { $0.draft.keyTexts(of: key.destinationColumns) })
      let others = lines.indices.filter { number in
        lines[number].draft.keyTexts(of: key.columns).map { !known.contains($0) } ?? false
      }
      let searches = others.map { search(key, lines[$0]) }
      let found = try writer.inGroups(searches) { try writer.present(resource, $0) }
      missing.formUnion(zip(others, found).filter { $0.1 == nil }.map(\.0))
    }
    return missing
  }

  private func isThere(_ key: ForeignKey, _ line: Line, by writer: RecordWriter) throws -> Bool {
    let known = lines.contains {
      $0.draft.keyTexts(of: key.destinationColumns) == line.draft.keyTexts(of: key.columns)
    }
    return try known || writer.present(resource, [search(key, line)])[0] != nil
  }

  private func search(_ key: ForeignKey, _ line: Line) -> RecordWriter.Search {
    RecordWriter.Search(
      columns: key.destinationColumns, values: key.columns.map { line.draft.value(of: $0) ?? .null },
      returned: key.destinationColumns)
  }
}

extension RecordDraft {
  /// About the number of bytes of memory that it takes.
  fileprivate var approximateLength: Int {
    let own = assignments.reduce(64) { length, assignment in
      switch assignment.value {
      case .text(let text): length + 64 + text.utf8.count
      case .blob(let bytes): length + 64 + bytes.count
      case .null, .integer, .real: length + 64
      }
    }
    return nested.reduce(own) { length, nested in
      nested.records.reduce(length + 64) { $0 + $1.approximateLength }
    }
  }
}
