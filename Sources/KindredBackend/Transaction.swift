import KindredModel
import KindredOutput
import KindredPlanning

/// A transaction that reads and possibly writes; it may move between threads but has one user at a time.
public protocol Transaction: AnyObject, SchemaSource {
  /// Returns the result of a plan, which has not been started.
  ///
  /// - Parameter limit: the maximum number of records of the page; nil for no limit.
  func result(of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?) -> any ResultSource

  /// Returns the tables that a plan reads whose result has been read, in lower case; nil where its result may depend on
  /// more than their content.
  func tables(readBy plan: Plan) throws -> Set<String>?
}

extension ReadTransaction {
  /// Nothing that should be renewed.
  public func plannerStatistics() throws -> PlannerStatistics { PlannerStatistics() }

  /// Nil: the state is known before anything is read.
  public var observedState: Int64? { nil }

  /// True: there is one database.
  public var isOfWatchedServer: Bool { true }

  /// Nil: there are no copies to compare with.
  public var position: Position? { nil }
}

extension Transaction {
  /// Returns the result of a plan without a limit.
  public func result(of plan: ExecutablePlan, _ parameters: Parameters) -> any ResultSource {
    result(of: plan, parameters, limit: nil)
  }
}

/// A transaction that sees one state of the database, from the first statement of a request to the last byte of its
/// answer.
public protocol ReadTransaction: Transaction {
  /// Returns the number of the snapshot's state, or of an earlier one; nil if it is unknown, or known only by
  /// ``observedState`` later.
  ///
  /// It may take a new snapshot, so it must be called before anything is read.
  ///
  /// - Parameter earlier: The number of an earlier state, if it is known.
  func stateNumber(since earlier: Int64?) throws -> Int64?

  /// The number of the snapshot's state, if ``stateNumber(since:)`` has been called and something has been read since;
  /// nil if it is unknown.
  var observedState: Int64? { get }

  /// Whether what has been read comes from the server that the backend asks for its state; true, the default, if there is
  /// only one. Of another server's content, the state is unknown.
  var isOfWatchedServer: Bool { get }

  /// How far the changes have come that the snapshot shows, or a later position, once something has been read; nil, the
  /// default, if it is unknown.
  var position: Position? { get }

  /// Returns whether a number, which is that of this state or of an earlier one, is certainly that of this state.
  ///
  /// It uses no other connection of the server, which may be waiting for this transaction to end.
  func shows(state number: Int64) -> Bool

  /// Returns whether the database contains answers kept under an `Idempotency-Key`.
  func keepsAnswers() throws -> Bool

  /// Checks whether the transaction may continue.
  ///
  /// - Throws: ``BackendError`` if the time of the statements is used up or the request was cancelled.
  func checkInterruption() throws

  /// Returns how the database would run a plan.
  ///
  /// - Parameter limit: The largest number of records of the page; nil for all.
  func explanation(
    of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?
  ) throws -> PlanExplanation

  /// Returns of which tables the database's planner has no statistics, or old ones.
  func plannerStatistics() throws -> PlannerStatistics

  /// Resumes the statements' time after ``pause()``.
  func resume()

  /// Stops the statements' time while the transaction waits for the client.
  func pause()

  /// Ends the transaction and releases the connection; further calls have no effect.
  func close()
}

/// The result of a plan, read part by part.
public protocol ResultSource: AnyObject {
  /// Executes the plan up to the first record.
  ///
  /// - Parameter isRepeated: whether a result of the same plan has just been started in the same transaction, without a
  ///   write since.
  /// - Throws: `RequestError` if the path leads nowhere or a full-text pattern is malformed.
  func start(isRepeated: Bool) throws

  /// Starts like `start`, but finds the cursor of the page first, so that the memory for that is free again when the
  /// records are read.
  func startAfterCursor() throws

  /// The number of records on all pages, known after `start`; nil unless the plan counts them.
  var totalCount: Int64? { get }

  /// The number of records that the database expects on all pages, known after `start`, where they are too many to count.
  var estimatedCount: Int64? { get }

  /// Whether ``next()`` may wait for another process; false by default.
  var mayWait: Bool { get }

  /// Returns the next part of the result, which is valid until the next call; nil at the end.
  func next() throws -> UnsafeRawBufferPointer?

  /// The bytes of a result that is a single BLOB; nil for values of other types.
  ///
  /// It is available after `start` and before `next`.
  var blob: [UInt8]? { get }

  /// The length and the first bytes of a result that is a single BLOB which is read in parts; nil, the default, for other
  /// results.
  ///
  /// It is available after `start` and before `next`.
  var longBlob: LongBlob? { get }

  /// Makes ``next()`` return these bytes of the result that is a long BLOB.
  func read(bytes range: Range<Int>) throws

  /// Whether the last part has been read.
  var isAtEnd: Bool { get }

  /// Transfers the part that was read last, which outlives the source; to be called at most once for each part.
  func takePart() -> ResultPart

  /// Returns the places of the pages before and after this one, once it has been started.
  func neighbours() throws -> PageNeighbours

  /// Stops reading; to be called exactly once, at any time.
  func close()
}

/// A BLOB that is read in parts.
public struct LongBlob: Sendable {
  /// The number of its bytes.
  public let count: Int
  /// Its first bytes.
  public let beginning: [UInt8]

  /// Creates the description of a BLOB.
  public init(count: Int, beginning: [UInt8]) { (self.count, self.beginning) = (count, beginning) }
}

extension ResultSource {
  /// Nil: a BLOB is read as a whole.
  public var longBlob: LongBlob? { nil }

  /// Does nothing.
  public func read(bytes range: Range<Int>) throws {}

  /// Returns nil.
  public var estimatedCount: Int64? { nil }

  /// Executes the plan up to the first record.
  public func start() throws { try start(isRepeated: false) }

  /// False: the database is in this process.
  public var mayWait: Bool { false }

  /// The cursor takes no additional memory.
  public func startAfterCursor() throws { try start() }
}
