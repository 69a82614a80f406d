import KindredAssociations
import KindredOutput
import KindredSQLSyntax

/// How a write waits for its turn.
public struct WriteOrder: Sendable {
  /// When it must be done, in nanoseconds of `MonotonicTime`; nil for any time.
  public var deadline: UInt64?
  /// Whether it is known to take long: then it runs alone, its deadline is only for its beginning, and its memory isn't
  /// limited.
  public var isLong: Bool
  /// Tells that the result is no longer of use; interrupts the statements.
  public var cancellation: (any Cancellation)?
  /// Whom the statements run as, where the database has roles; nil for the user of the connection.
  public var role: DatabaseRole?

  /// A write that takes its place in the queue.
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
  /// Whether the transaction still goes on: some errors end it.
  var isOpen: Bool { get }

  /// Returns the rows of a statement that changes or finds records.
  func rows(of statement: ExecutableStatement, _ parameters: Parameters) throws -> [[SQLValue]]

  /// Returns the columns of all records that a lookup finds.
  ///
  /// - Throws: `RequestError` where a step before the last leads nowhere (`notFound`), or a full-text pattern is
  ///   malformed.
  func records(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [[SQLValue]]

  /// Runs `body`, and takes back what it changed; what the commit would refuse is an error here too.
  func rolledBack<Result>(_ body: () throws -> Result) throws -> Result

  /// Runs `body`, and checks foreign keys when it is done: as one statement would that changes many records.
  func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result

  /// Has statements fail from a moment on, in nanoseconds of `MonotonicTime`; nil for never.
  func setDeadline(_ nanoseconds: UInt64?)

  /// Returns an insertion into these columns, to be run for many records.
  func insertion(of columns: [Column], into table: Table) throws -> any RecordInsertion

  /// Returns the answer that was kept under a key since a moment, in seconds since 1970.
  func keptAnswer(_ key: KeptAnswer.Key, since time: Int64) throws -> KeptAnswer?

  /// Keeps an answer under a key that has none.
  func keep(_ answer: KeptAnswer, under key: KeptAnswer.Key) throws

  /// Removes the answers that were kept up to a moment, in seconds since 1970.
  func removeKeptAnswers(until time: Int64) throws
}

extension WriteTransaction {
  /// Returns the columns of the one record that a lookup finds.
  ///
  /// - Throws: `RequestError` (`notFound`) where a step of the path leads nowhere.
  public func record(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [SQLValue] {
    guard let row = try records(lookup, parameters).first else {
      throw RequestError(.notFound, lookup.absence)
    }
    return row
  }
}

/// The insertion of records about which nothing has to be known afterwards: one statement, bound anew for each.
public protocol RecordInsertion: AnyObject {
  /// Sets the value of the column at `index`.
  func bind(_ value: SQLValue, at index: Int) throws

  /// Sets the text of the column at `index`, which is UTF-8; it is read no later than by ``run()``.
  func bind(text: UnsafeRawBufferPointer, at index: Int) throws

  /// Adds a record of the values; false where a trigger ignores it.
  func run() throws -> Bool
}

/// The answer to a request with an `Idempotency-Key`, kept in the database so that it is given again.
public struct KeptAnswer: Sendable {
  /// Keys are one client's own.
  public struct Key: Sendable {
    /// The client.
    public var principal: String
    /// What the client chose.
    public var text: String

    /// A key of a client.
    public init(principal: String, text: String) {
      self.principal = principal
      self.text = text
    }
  }

  /// What tells the request from others.
  public var fingerprint: [UInt8]
  /// When it was answered, in seconds since 1970.
  public var time: Int64
  /// The code of the status.
  public var status: Int
  /// The value of `Location`.
  public var location: String?
  /// How many records were written.
  public var total: Int64?
  /// The value of `Preference-Applied`.
  public var preferences: String?
  /// The digest of the content.
  public var tag: [UInt8]?
  /// The content.
  public var content: [UInt8]?

  /// An answer without content.
  public init(fingerprint: [UInt8], time: Int64, status: Int) {
    self.fingerprint = fingerprint
    self.time = time
    self.status = status
  }
}
