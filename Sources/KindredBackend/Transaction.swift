import KindredAssociations
import KindredOutput

/// A transaction that reads, and maybe writes; one holder at a time has it, on whatever thread.
public protocol Transaction: AnyObject, SchemaSource {
  /// Returns the result of a plan, of which nothing has been read.
  ///
  /// - Parameter limit: records of the page at most.
  func result(of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?) -> any ResultSource
}

extension Transaction {
  /// Returns the result of a plan without a limit.
  public func result(of plan: ExecutablePlan, _ parameters: Parameters) -> any ResultSource {
    result(of: plan, parameters, limit: nil)
  }
}

/// A transaction that shows one state of the database, from the first statement of a request to the last byte of its
/// answer.
public protocol ReadTransaction: Transaction {
  /// The number of the state that the snapshot shows, or of an earlier one; nil where it can't be told.
  ///
  /// It may take a new snapshot, so it has to be asked before anything is read.
  func stateNumber() throws -> Int64?

  /// Returns whether answers to requests with an `Idempotency-Key` have been kept in the database.
  func keepsAnswers() throws -> Bool

  /// - Throws: ``BackendError`` where the statements have no time left, or the request is cancelled.
  func checkInterruption() throws

  /// Returns how the database would run a plan.
  func explanation(of plan: Plan) throws -> PlanExplanation

  /// Lets the time of the statements go on after ``pause()``.
  func resume()

  /// Stops the time of the statements: what follows is the client's.
  func pause()

  /// Ends the transaction and gives the connection back; more than once is allowed.
  func close()
}

/// The result of a plan, read part by part.
public protocol ResultSource: AnyObject {
  /// Reads up to the first record.
  ///
  /// - Parameter isRepeated: whether a result of the same plan was started just before in the same transaction, and
  ///   nothing has been written since.
  /// - Throws: `RequestError` where the path leads nowhere or a full-text pattern is malformed.
  func start(isRepeated: Bool) throws

  /// How many records there are on all pages; nil unless the plan counts them. Known after `start`.
  var totalCount: Int64? { get }

  /// Returns the next part of the result; valid until the next call, nil at the end.
  func next() throws -> UnsafeRawBufferPointer?

  /// The bytes of a result that is a single BLOB; nil for values of other types.
  ///
  /// To be asked after `start` and before `next`.
  var blob: [UInt8]? { get }

  /// Whether the last part has been read.
  var isAtEnd: Bool { get }

  /// Hands over the part that was read last, which outlives the source; there can be no next one.
  func takePart() -> ResultPart

  /// Returns the cursor of the page's last record; nil where no more follow.
  func pageCursor() throws -> Cursor?

  /// Ends the reading; to be called once, at any time.
  func close()
}

extension ResultSource {
  /// Reads up to the first record.
  public func start() throws { try start(isRepeated: false) }
}
