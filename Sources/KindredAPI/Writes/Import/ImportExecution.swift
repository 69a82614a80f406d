import KindredModel
import KindredBackend
import KindredClock
import KindredHTTP
import KindredSQLSyntax
import KindredRequests

/// Adds the records of content of any length, one by one as they are read.
struct ImportExecution {
  private let execution: WriteExecution
  private let format: ImportFormat
  private let transaction: any WriteTransaction
  /// The time that each record may take, in nanoseconds; nil for no limit.
  private let timePerRecord: UInt64?
  private let latest = LatestLines()

  init(_ execution: WriteExecution, format: ImportFormat) {
    self.execution = execution
    self.format = format
    transaction = execution.transaction
    timePerRecord = execution.service.context.options.queryTime.map(MonotonicTime.nanoseconds)
  }

  private var resource: WrittenResource { execution.resource }

  /// The result of the import so far.
  private struct Progress {
    var count = 0
    var added = 0
    var content: [UInt8]?
    var isIgnored = false
    /// Whether the records are not returned because the database returns nothing of one.
    var isMinimal = false

    /// Counts a new record, unless a trigger has ignored it.
    mutating func add(_ isAdded: Bool) {
      count += isAdded ? 1 : 0
      added += isAdded ? 1 : 0
      isIgnored = isIgnored || !isAdded
    }
  }

  /// - Throws: `Problem` with the number of the invalid line; `BackendError`.
  func run() throws -> WriteResult {
    try execution.checkCollectionPreconditions()
    let preferences = execution.plan.preferences
    let held = HeldLines(resource, in: transaction)
    let plain = held == nil ? PlainInsertion(execution) : nil
    // Plain records are inserted together by the transaction, in order with others.
    let groups = plain == nil ? transaction.groups : nil
    var waiting = WaitingRecords(limit: groups?.largestGroup ?? 1)
    var progress = Progress()
    if preferences.content == .representation { progress.content = [UInt8(ascii: "[")] }
    let records = try NewRecords(execution)
    do {
      try forEachRecord(insertedBy: plain) {
        progress.add($0)
      } _: { draft, line, length in
        try execution.plan.computed?.check(draft)
        waiting.append(draft, line, length)
        if waiting.isFull { try add(waiting.take(), to: records, groups, held, &progress) }
      }
    } catch {
      // The lines before the one that can't be read are tested first, so that the error names the first wrong line.
      if transaction.isOpen { try add(waiting.take(), to: records, groups, held, &progress) }
      throw error
    }
    try add(waiting.take(), to: records, groups, held, &progress)
    if let held { try add(held, to: records, groups, &progress) }
    let ignored = try atLine(nil) { try transaction.finishInsertions() }
    progress.count -= ignored
    progress.added -= ignored
    progress.isIgnored = progress.isIgnored || ignored > 0
    let replaced = try execution.replacedRecords().count
    progress.count -= replaced
    guard progress.count > 0 || !progress.isIgnored else { throw Problem.ignored() }
    var result = WriteResult(status: preferences.resolution == nil || progress.added > 0 ? .created : .ok)
    result.count = progress.count
    result.content = progress.content.map { $0 + [UInt8(ascii: "]")] }
    result.isMinimal = progress.isMinimal
    return result
  }

  /// Reads the content again for the first dangling reference; returns nil if there is none in it.
  ///
  /// Only an import that has failed pays for this, by reading again.
  func danglingReference() throws -> Problem? {
    do {
      try forEachRecord { draft, _, _ in
        if let problem = try execution.reasons.danglingReference(of: [draft], in: resource) { throw problem }
      }
      // Then it is one that the database fills in.
      try forEachRecord { draft, _, _ in
        if let problem = resource.omittedReference(of: draft.columns, at: draft.pointer) { throw problem }
      }
      return nil
    } catch let problem as Problem {
      return problem
    }
  }

  /// Reads the content again for the line with a reference to no record in sight, and returns its problem.
  func problem(of reference: PendingReference) throws -> Problem {
    do {
      try forEachRecord { draft, _, _ in
        guard let place = reference.place(in: draft, of: resource) else { return }
        throw Problem.danglingReference(reference.reference.columns, at: place)
      }
    } catch let problem as Problem {
      return problem
    }
    // Then the database fills it in, or a part of it.
    return .danglingReference(reference.reference.columns, at: JSONPointer())
  }

  // MARK: Formats

  private typealias RecordBody = (_ draft: RecordDraft, _ line: Int, _ length: Int) throws -> Void

  /// Calls `body` with each record of the content, in its order, and with its length there in bytes.
  ///
  /// - Parameters:
  ///   - plain: Inserts records that need nothing but an insertion, without a draft.
  ///   - added: Called after each record that `plain` inserts or a trigger ignores.
  private func forEachRecord(
    insertedBy plain: PlainInsertion? = nil, added: (Bool) -> Void = { _ in }, _ body: RecordBody
  ) throws {
    switch format {
    case .csv: try forEachRecordOfCSV(insertedBy: plain, added: added, body)
    case .jsonLines: try forEachLine(insertedBy: plain, added: added, body)
    }
  }

  private func forEachLine(
    insertedBy plain: PlainInsertion?, added: (Bool) -> Void, _ body: RecordBody
  ) throws {
    var lines = LineReader(execution.request)
    var plain = plain.map(PlainLines.init)
    while try lines.next() {
      let bytes = lines.bytes
      let isAdded = try atLine(lines.line) {
        try latest.inserting(at: lines.line) { try plain?.insert(bytes) }
      }
      if let isAdded {
        added(isAdded)
        continue
      }
      try atLine(lines.line) {
        let document = try WriteContent.document(bytes)
        var reader = RecordDraftReader(
          version: execution.plan.version, limits: execution.service.context.options.limits,
          conflicts: execution.plan.conflicts, check: {})
        (reader.isCopy, reader.isImport) = (true, true)
        try body(try reader.record(in: document, of: resource), lines.line, bytes.count)
      }
    }
  }

  private func forEachRecordOfCSV(
    insertedBy plain: PlainInsertion?, added: (Bool) -> Void, _ body: RecordBody
  ) throws {
    var reader = CSVReader(execution.request)
    guard try reader.next() else {
      throw Problem.malformedCSV("it has no header with the names of the columns", 1)
    }
    let columns = try header(reader)
    // Computed values must be compared with the stored ones.
    let plain =
      try columns.contains { $0.isGenerated && !$0.isIdentity }
      ? nil : plain.map { try PlainFields($0, columns) }
    var blankLine: Int?
    while try reader.next() {
      // Many programs end a file with a blank line, which isn't a record if there are several columns.
      if reader.isBlank, columns.count > 1 {
        blankLine = blankLine ?? reader.line
        continue
      }
      if let blankLine { throw Problem.malformedCSV("it has a blank line", blankLine) }
      try atLine(reader.line) {
        try checkFieldCount(reader, columns.count)
        if let isAdded = try latest.inserting(at: reader.line, { try plain?.insert(reader) }) {
          return added(isAdded)
        }
        try body(try draft(reader, columns), reader.line, reader.bytes.count)
      }
    }
  }

  private func draft(_ reader: borrowing CSVReader, _ columns: [Column]) throws -> RecordDraft {
    var draft = RecordDraft(pointer: JSONPointer())
    for (index, column) in columns.enumerated() where !column.isComputed {
      let value: Result<SQLValue, Column.Refusal> = reader.withField(index) { bytes in
        Result { () throws(Column.Refusal) in try column.value(ofField: bytes) }
      }
      do {
        try draft.add(
          RecordDraft.Assignment(column: column.name, value: value.get()), to: column, of: resource,
          isCopy: true)
      } catch let error as Column.Refusal {
        throw Problem.refusedValue(error.message, at: JSONPointer() + column.name)
      }
    }
    return draft
  }

  private func checkFieldCount(_ reader: borrowing CSVReader, _ count: Int) throws {
    guard reader.fields.count == count else {
      throw Problem.malformedCSV(
        "the header has \(count) columns, but the record has \(reader.fields.count)", reader.line)
    }
  }

  /// Returns the columns that the header names.
  private func header(_ reader: borrowing CSVReader) throws -> [Column] {
    var columns: [Column] = []
    for index in reader.fields.indices {
      let name = reader.withField(index) {
        String(decoding: $0 ?? UnsafeRawBufferPointer(start: nil, count: 0), as: UTF8.self)
      }
      try atLine(1) {
        guard let column = resource.writableColumns.first(named: name) else {
          throw Problem.unknownMember(name, of: resource.resource, in: JSONPointer())
        }
        guard !columns.contains(named: name) else {
          throw Problem.malformedCSV("the header contains `\(name)` twice", 1)
        }
        columns.append(column)
      }
    }
    return columns
  }

  // MARK: Records

  /// Adds the records of some lines together if their access rules allow it; if that fails, one after another, so that
  /// the error names a line.
  private func add(
    _ lines: [(draft: RecordDraft, line: Int)], to records: NewRecords, _ groups: (any StatementGroups)?,
    _ held: HeldLines?, _ progress: inout Progress
  ) throws {
    let ready = try held.map { try $0.ready(lines, by: writer(groups)) } ?? lines
    try add(ready, to: records, groups, &progress)
  }

  /// Adds the lines that have been held, each after the lines that it refers to.
  private func add(
    _ held: HeldLines, to records: NewRecords, _ groups: (any StatementGroups)?, _ progress: inout Progress
  ) throws {
    for part in try held.parts(by: writer(groups)).runs(by: { $0.count > 1 }) {
      guard let first = part.first, first.count > 1 else {
        let lines = part.flatMap(\.self)
        let size = groups?.largestGroup ?? 1
        for start in stride(from: 0, to: lines.count, by: size) {
          try add(Array(lines[start..<min(lines.count, start + size)]), to: records, groups, &progress)
        }
        continue
      }
      for ring in part {
        try atLine(ring.first?.line) { try add(ring.map(\.draft), to: records, &progress) }
      }
    }
  }

  private func writer(_ groups: (any StatementGroups)?) -> RecordWriter {
    var writer = execution.writer
    writer.groups = groups
    return writer
  }

  private func add(
    _ lines: [(draft: RecordDraft, line: Int)], to records: NewRecords, _ groups: (any StatementGroups)?,
    _ progress: inout Progress
  ) throws {
    if let groups, lines.count > 1, execution.areTestedAlone(lines.map(\.draft)) {
      var grouped = execution
      grouped.groups = groups
      if let timePerRecord {
        transaction.setDeadline(MonotonicTime.now() + timePerRecord, records: lines.count)
      }
      var new = progress
      do {
        try groups.undoingFailure {
          try add(lines.map(\.draft), to: NewRecords(grouped), &new)
        }
        progress = new
        return
      } catch  where transaction.isOpen && (error.mayBeOfOneRecord || error.isTimeout) {}
    }
    for (draft, line) in lines { try atLine(line) { try add([draft], to: records, &progress) } }
  }

  private func add(_ drafts: [RecordDraft], to records: NewRecords, _ progress: inout Progress) throws {
    let results = try records.add(drafts)
    let stored = results.compactMap(\.record)
    if stored.count < results.count { progress.isIgnored = true }
    if progress.content != nil, !stored.allSatisfy({ $0.isReturnable(of: resource) }) {
      (progress.content, progress.isMinimal) = (nil, true)
    }
    if var content = progress.content, !stored.isEmpty {
      progress.content = nil
      if progress.count > 0 { content.append(UInt8(ascii: ",")) }
      // Without the brackets.
      content += try execution.plan.answer.json(
        of: stored, isArray: true, to: execution.plan.principal, in: transaction
      ).dropFirst().dropLast()
      guard content.count <= WriteAnswer.maximumLength else {
        throw RequestError(
          .limitExceeded, "the records to return are too long; leave out `return=representation`")
      }
      progress.content = content
    }
    progress.count += stored.count
    progress.added += results.count(where: \.isNew)
  }

  /// Runs the work of one record within its time, adding the line to errors.
  private func atLine<Result>(_ line: Int?, _ body: () throws -> Result) throws -> Result {
    if let timePerRecord { transaction.setDeadline(MonotonicTime.now() + timePerRecord) }
    do {
      defer { execution.memory.locateProblem(at: line) }
      return try body()
    } catch let error as any BackendError where Problem(refusing: error) == nil && !error.isOfOneRecord {
      throw error
    } catch {
      let failure = error as? any BackendError
      let isLate = failure?.recordsAfter != nil
      let refusal = failure.flatMap {
        isLate ? Problem(refusing: $0, changing: resource.resource) : Problem(refusing: $0)
      }
      var problem =
        refusal ?? execution.service.context.problems.problem(for: error, of: execution.plan.principal)
      problem.line = problem.line ?? failure?.recordsAfter.flatMap { latest.line(before: $0) } ?? line
      throw problem
    }
  }
}

/// The records that have been read, and will be added together.
private struct WaitingRecords {
  /// The largest number of records.
  let limit: Int
  private var lines: [(draft: RecordDraft, line: Int)] = []
  /// The number of bytes of the content from which the records were read.
  private var length = 0

  /// The number of bytes with which the records wait no longer, whatever their number.
  private static let largestLength = 1 << 18

  init(limit: Int) { self.limit = limit }

  var isFull: Bool { lines.count >= limit || length >= Self.largestLength }

  /// Adds a record that was read from so many bytes.
  mutating func append(_ draft: RecordDraft, _ line: Int, _ length: Int) {
    lines.append((draft, line))
    self.length += length
  }

  mutating func take() -> [(draft: RecordDraft, line: Int)] {
    defer { (lines, length) = ([], 0) }
    return lines
  }
}

/// The lines of the latest records that were inserted, maybe together with others later.
private final class LatestLines {
  private var lines: [Int] = []

  /// The number of lines that are kept at least; more than are inserted together.
  private static let capacity = 4096

  /// Notes the line of a record, unless `insert` returns nil.
  func inserting(at line: Int, _ insert: () throws -> Bool?) rethrows -> Bool? {
    if lines.count == 2 * Self.capacity { lines.removeFirst(Self.capacity) }
    lines.append(line)
    let isAdded = try insert()
    if isAdded == nil { lines.removeLast() }
    return isAdded
  }

  /// Returns the line of the record before so many others.
  func line(before count: Int) -> Int? {
    lines.indices.contains(lines.count - 1 - count) ? lines[lines.count - 1 - count] : nil
  }
}

extension Error {
  /// Whether a statement has taken too long, perhaps one about many records.
  fileprivate var isTimeout: Bool { (self as? any BackendError)?.kind == .timedOut }
}

extension BackendError {
  /// Whether the values of a record are the reason, so that the line helps to find it.
  fileprivate var isOfOneRecord: Bool {
    switch kind {
    case .noValue, .tooLarge, .exceeded: true
    default: false
    }
  }
}
