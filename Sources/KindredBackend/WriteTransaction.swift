import KindredModel
import KindredOutput
import KindredSQLSyntax

/// The conditions under which a write waits for its turn and runs.
public struct WriteOrder: Sendable {
  /// The time by which it must end, in nanoseconds of `MonotonicTime`; nil for no deadline.
  public var deadline: UInt64?
  /// Whether it is expected to take long.
  ///
  /// Then it has a separate commit, its deadline applies to its start only, and its memory isn't limited.
  public var isLong: Bool
  /// Signals that the result is no longer wanted, which interrupts the statements.
  public var cancellation: (any Cancellation)?
  /// The role with which the statements run, if the database has roles; nil for the user of the connection.
  public var role: DatabaseRole?
  /// Called when the outcome of the write is known, after its error has been ``BackendErrorKind/unknownOutcome(isOpen:)``
  /// with an open outcome.
  public var whenOutcomeIsKnown: (@Sendable () -> Void)?

  /// Creates the conditions of a write.
  public init(deadline: UInt64? = nil, isLong: Bool = false, cancellation: (any Cancellation)? = nil) {
    self.deadline = deadline
    self.isLong = isLong
    self.cancellation = cancellation
  }
}

/// A transaction that writes.
///
/// It is committed when the body of the write returns, and rolled back when that throws.
public protocol WriteTransaction: Transaction {
  /// Whether the transaction is still open; some errors end it.
  var isOpen: Bool { get }

  /// Whether the schema that it begins with is certainly committed; false if other writes may share its commit.
  var beginsWithCommittedSchema: Bool { get }

  /// Returns the number of the state that the transaction sees of some tables; nil if it is unknown, or if they may have
  /// been changed in it, also by another write that shares its commit.
  ///
  /// - Parameter tables: The names in lower case; nil for all.
  func stateNumber(of tables: Set<String>?) throws -> Int64?

  /// Returns the rows of a statement that changes or finds records.
  func rows(of statement: ExecutableStatement, _ parameters: Parameters) throws -> [[SQLValue]]

  /// Runs statements in groups; nil if no statement takes a round trip, so that groups would save nothing.
  var groups: (any StatementGroups)? { get }

  /// Reads the record of a plan for each of several parameter values, which differ only in its key.
  ///
  /// - Parameter take: Called with the number of each, in order, and a part of its result, at least once; with nil if there
  ///   is no such record.
  /// - Throws: What `take` throws.
  func readEach(
    of plan: ExecutablePlan, _ parameters: [Parameters],
    _ take: (_ number: Int, _ part: UnsafeRawBufferPointer?) throws -> Void
  ) throws

  /// Returns the columns of all records that a lookup finds.
  ///
  /// - Throws: `RequestError` if a step before the last finds nothing (`notFound`) or a full-text pattern is malformed.
  func records(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [[SQLValue]]

  /// Returns whether rules of the database itself may keep records of a table from being changed by the role of the
  /// statements, which then leave these out.
  func restrictsRows(of table: Table) throws -> Bool

  /// Runs `body` and rolls its changes back; throws what the commit would have thrown.
  func rolledBack<Result>(_ body: () throws -> Result) throws -> Result

  /// Whether foreign keys that aren't declared as deferrable are checked after each statement, also where
  /// ``deferringForeignKeys(_:)`` runs it.
  var checksEachStatement: Bool { get }

  /// Whether a deferred foreign key is violated, so that the commit would fail; false if only the commit can tell.
  var violatesForeignKeys: Bool { get }

  /// Runs `body` and checks foreign keys only at its end, as for a single statement that changes many records.
  ///
  /// While a deferred key is violated, the others may be checked at once.
  ///
  /// - Throws: an error if foreign keys are violated at the end, unless some were before: the commit checks these.
  func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result

  /// Sets the time from which statements fail, in nanoseconds of `MonotonicTime`; nil for never.
  ///
  /// - Parameter count: The number of records that are written together. All of their statements may take that many times
  ///   as long, but none of them longer than the statements of one.
  func setDeadline(_ nanoseconds: UInt64?, records count: Int)

  /// Returns an insertion of these columns, to be run for many records.
  func insertion(of columns: [Column], into table: Table) throws -> any RecordInsertion

  /// Whether a BLOB of a column can be stored in parts after its record: nothing else depends on its bytes when the record
  /// is stored.
  func storesParts(of column: String, in table: Table) throws -> Bool

  /// Replaces the BLOB in a column of one record.
  ///
  /// - Parameters:
  ///   - record: The values of columns that identify the record.
  ///   - bytes: Passes all bytes in parts, which together have `byteCount`.
  func storeParts(
    of column: String, in table: Table, of record: [(column: String, value: SQLValue)], byteCount: Int,
    _ bytes: (_ store: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws

  /// Inserts the deferred records, and returns how many of all deferred records triggers have ignored.
  ///
  /// - Throws: A `BackendError` with ``BackendError/recordsAfter``.
  func finishInsertions() throws -> Int

  /// Returns the answer kept under a key, if it is not older than `time`, in seconds since 1970.
  func keptAnswer(_ key: KeptAnswer.Key, since time: Int64) throws -> KeptAnswer?

  /// Stores an answer under a key that has none.
  func keep(_ answer: KeptAnswer, under key: KeptAnswer.Key) throws

  /// Removes the answers that were kept before or at `time`, in seconds since 1970.
  func removeKeptAnswers(until time: Int64) throws
}

/// A statement that changes or finds records, with the values of its parameters.
public struct BoundStatement: Sendable {
  /// The statement.
  public let statement: ExecutableStatement
  /// The values of its parameters.
  public let parameters: Parameters

  /// Creates a statement with values in the order of its parameters.
  public init(_ statement: ExecutableStatement, _ values: [SQLValue], claims: [String: Claim] = [:]) {
    self.statement = statement
    parameters = Parameters(literals: values, claims: claims)
  }
}

/// Runs statements that don't depend on one another's results together, in one round trip.
public protocol StatementGroups: AnyObject {
  /// The maximum number of records whose statements are worth running together.
  var largestGroup: Int { get }

  /// Runs statements in this order, and returns the rows of each.
  ///
  /// If there is more than one and one fails, the transaction can only go on with what ``undoingFailure(_:)`` leaves.
  func rows(of statements: [BoundStatement]) throws -> [[[SQLValue]]]

  /// Runs `body`; if it throws, its changes are undone, unless the transaction has ended.
  func undoingFailure<Result>(_ body: () throws -> Result) throws -> Result
}

extension WriteTransaction {
  /// Nil: the database is in this process.
  public var groups: (any StatementGroups)? { nil }

  /// Returns false: the database has no such rules.
  public func restrictsRows(of table: Table) throws -> Bool { false }

  /// Reads one record after another.
  public func readEach(
    of plan: ExecutablePlan, _ parameters: [Parameters],
    _ take: (_ number: Int, _ part: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    try readOneByOne(of: plan, parameters, take)
  }

  /// Reads the record of a plan for each of several parameter values, one after another.
  public func readOneByOne(
    of plan: ExecutablePlan, _ parameters: [Parameters],
    _ take: (_ number: Int, _ part: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    for (number, values) in parameters.enumerated() {
      let reader = result(of: plan, values)
      defer { reader.close() }
      do {
        try reader.start(isRepeated: number > 0)
      } catch let error as RequestError where error.code == .notFound {
        try take(number, nil)
        continue
      }
      while let part = try reader.next() { try take(number, part) }
    }
  }

  /// Sets the time from which the statements of one record fail, in nanoseconds of `MonotonicTime`; nil for never.
  public func setDeadline(_ nanoseconds: UInt64?) { setDeadline(nanoseconds, records: 1) }

  /// Returns false: values are parameters of statements.
  public func storesParts(of column: String, in table: Table) throws -> Bool { false }

  /// Does nothing, since no column is stored in parts.
  public func storeParts(
    of column: String, in table: Table, of record: [(column: String, value: SQLValue)], byteCount: Int,
    _ bytes: (_ store: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {}

  /// Returns 0: no insertion is deferred.
  public func finishInsertions() throws -> Int { 0 }

  /// Returns the columns of the one record that a lookup finds.
  ///
  /// - Throws: `RequestError` (`notFound`) if a step of the path finds nothing.
  public func record(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [SQLValue] {
    guard let row = try records(lookup, parameters).first else {
      throw RequestError(.notFound, lookup.absence)
    }
    return row
  }
}

/// A statement that inserts many records without returning anything about them.
public protocol RecordInsertion: AnyObject {
  /// Sets the value of the column at `index`.
  func bind(_ value: SQLValue, at index: Int) throws

  /// Sets the column at `index` to a UTF-8 text, which must stay valid until ``run()`` returns.
  func bind(text: UnsafeRawBufferPointer, at index: Int) throws

  /// Inserts a record with the bound values; returns false if a trigger ignores it.
  ///
  /// It may defer the record, to insert it together with others later; then the error of an earlier record is thrown,
  /// with ``BackendError/recordsAfter``, and ``WriteTransaction/finishInsertions()`` must be called.
  func run() throws -> Bool
}

/// The answer to a request with an `Idempotency-Key`, kept in the database for repetitions of the request.
public struct KeptAnswer: Sendable {
  /// A key within those of one client.
  public struct Key: Sendable {
    /// The identity and the rights of the client.
    public var principal: String
    /// The value of `Idempotency-Key`.
    public var text: String

    /// Creates a key of a client.
    public init(principal: String, text: String) {
      self.principal = principal
      self.text = text
    }
  }

  /// A digest that distinguishes the request from others with the same key.
  public var fingerprint: [UInt8]
  /// The time of the answer, in seconds since 1970.
  public var time: Int64
  /// The status code.
  public var status: Int
  /// The value of `Location`.
  public var location: String?
  /// The number of written records.
  public var total: Int64?
  /// The value of `Preference-Applied`.
  public var preferences: String?
  /// The digest of the content.
  public var tag: [UInt8]?
  /// The content.
  public var content: [UInt8]?

  /// Creates an answer without content.
  public init(fingerprint: [UInt8], time: Int64, status: Int) {
    self.fingerprint = fingerprint
    self.time = time
    self.status = status
  }
}

/// Answers as rows of the table in which they are kept.
extension KeptAnswer {
  /// The names of the columns after those of the key.
  package static let columns = "fingerprint, time, status, location, total, preferences, tag, content"

  /// Creates an answer from a row of ``columns``.
  package init?(_ row: [SQLValue]) {
    guard case .blob(let fingerprint) = row[0], case .integer(let time) = row[1],
      case .integer(let status) = row[2]
    else { return nil }
    self.init(fingerprint: fingerprint, time: time, status: Int(status))
    if case .text(let location) = row[3] { self.location = location }
    if case .integer(let total) = row[4] { self.total = total }
    if case .text(let preferences) = row[5] { self.preferences = preferences }
    if case .blob(let tag) = row[6] { self.tag = tag }
    if case .blob(let content) = row[7] { self.content = content }
  }

  /// Returns the row of the answer to the request with a key: the principal, the key's text, and ``columns``.
  package func row(under key: Key) -> [SQLValue] {
    [
      .text(key.principal), .text(key.text), .blob(fingerprint), .integer(time), .integer(Int64(status)),
      location.map { .text($0) } ?? .null, total.map { .integer($0) } ?? .null,
      preferences.map { .text($0) } ?? .null, tag.map { .blob($0) } ?? .null,
      content.map { .blob($0) } ?? .null,
    ]
  }
}
