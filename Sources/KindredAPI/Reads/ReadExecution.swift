import KindredPlanning
import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput
import KindredRequests

/// A planned read that runs in a transaction: the one way in which answers, parts of batches, conditions and live
/// results are read and tagged.
final class ReadExecution {
  let planned: PlannedRequest
  private let records: RecordsQuery
  private let transaction: any Transaction
  private let context: ServiceContext
  private(set) var source: any ResultSource
  /// The parts that have been gathered.
  private(set) var parts: [ResultPart] = []

  /// How many bytes are read before anything is sent: a shorter result frees its connection early, and its tag is the
  /// hash of its content.
  static let gatheredLength = 1 << 20

  init(
    _ planned: PlannedRequest, of records: RecordsQuery, in transaction: any Transaction,
    _ context: ServiceContext
  ) {
    self.planned = planned
    self.records = records
    self.transaction = transaction
    self.context = context
    source = Self.source(of: planned, in: transaction)
  }

  private static func source(
    of planned: PlannedRequest, in transaction: any Transaction
  ) -> any ResultSource {
    transaction.result(of: planned.plan, planned.parameters, limit: planned.limit)
  }

  /// Releases the statements; the transaction keeps its connection.
  func close() { source.close() }

  /// Begins anew, to read the same from the same snapshot again.
  func restart() {
    source.close()
    parts = []
    source = Self.source(of: planned, in: transaction)
  }

  /// What is known once the first part has been read.
  struct Beginning {
    var first: UnsafeRawBufferPointer?
    /// The fields that not all results have: counts and links.
    var fields = HTTPHeaders()
    var links: PageLinks?
    /// The hash of what precedes the content; the first part belongs to it next.
    var hash: ContentHash
  }

  /// Whether the result has links to other pages.
  private var isPage: Bool {
    !planned.plan.plan.isSingle && (!records.type.isUnpaged || planned.limit != nil)
  }

  /// Whether the cursor of the page is found by a separate statement.
  var takesTwoStatements: Bool {
    planned.plan.plan.lookahead != nil && (!records.type.isUnpaged || planned.limit != nil)
  }

  /// Runs the statements up to the first part.
  ///
  /// - Parameter startsWithCursor: Whether the cursor of the page is found before the records are read.
  func begin(startsWithCursor: Bool = false) throws -> Beginning {
    if startsWithCursor { try source.startAfterCursor() } else { try source.start() }
    var beginning = Beginning(first: try source.next(), hash: ContentHash())
    if let count = source.totalCount { beginning.fields.append("X-Total-Count", String(count)) }
    if let count = source.estimatedCount { beginning.fields.append("X-Estimated-Count", String(count)) }
    if isPage {
      let links = PageLinks(records, to: try source.neighbours(), of: planned, context.longRequests)
      if let field = links.field { beginning.fields.append("Link", field) }
      beginning.links = links
    }
    beginning.hash = Self.metadata(
      records.type, totalCount: source.totalCount ?? source.estimatedCount, links: beginning.links)
    return beginning
  }

  /// Gathers the parts up to the largest length of content that is hashed before it is sent.
  ///
  /// - Parameter hash: The hash of what precedes the content; then of all that has been gathered.
  /// - Returns: Whether that is all.
  func gather(_ first: UnsafeRawBufferPointer?, into hash: inout ContentHash) throws -> Bool {
    if let first { hash.update(first) }
    if source.isAtEnd, first == nil { return true }
    parts = [source.takePart()]
    while !source.isAtEnd, parts.byteCount < Self.gatheredLength, let part = try source.next() {
      hash.update(part)
      parts.append(source.takePart())
    }
    return source.isAtEnd
  }

  // MARK: Tags

  /// Returns the tag of content whose beginning has been gathered and that is longer: of a single record that of its
  /// content, if it can be read in a part of the request's time; else that of the state.
  func tag(ofLongAfter hash: ContentHash, at state: ShownState) throws -> ContentHash.Digest {
    guard planned.plan.plan.isSingle else { return state.tag(of: planned, records) }
    return try measure(after: hash) ?? state.tag(of: planned, records)
  }

  private func measure(after beginning: ContentHash) throws -> ContentHash.Digest? {
    var hash = beginning
    let seconds = (context.options.queryTime ?? 10) * context.options.measuredShare
    let end = MonotonicTime.after(seconds)
    while let part = try source.next() {
      hash.update(part)
      guard MonotonicTime.now() < end else { return nil }
    }
    return hash.finish()
  }

  /// Returns the tag that a GET has; a long list isn't read for it.
  func tag(at state: ShownState) throws -> ContentHash.Digest {
    let beginning = try begin()
    var hash = beginning.hash
    return try gather(beginning.first, into: &hash) ? hash.finish() : tag(ofLongAfter: hash, at: state)
  }

  /// Returns the tag that a GET of a single record has, whose JSON this is.
  static func tag(ofRecord json: [UInt8]) -> ContentHash.Digest {
    var hash = metadata(.json)
    json.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }

  /// Returns the hash of what precedes a result's content.
  ///
  /// - Parameter links: The links of a page.
  private static func metadata(
    _ type: MediaType, totalCount: Int64? = nil, links: PageLinks? = nil
  ) -> ContentHash {
    var hash = ContentHash()
    hash.update(type.rawValue)
    if let totalCount { hash.update("\(totalCount) ") }
    if let links { hash.update(links.taggedText) }
    return hash
  }

  // MARK: Contents

  /// Reads the whole content.
  ///
  /// - Parameter check: Throws if a content of so many bytes is too long.
  func content(_ check: (Int) throws -> Void) throws -> (content: [UInt8], fields: HTTPHeaders) {
    let beginning = try begin()
    var content: [UInt8] = []
    if let first = beginning.first { content += first }
    try readRest(of: &content, check)
    return (content, beginning.fields)
  }

  /// Reads the whole content, and its tag.
  func taggedContent(at state: ShownState, _ check: (Int) throws -> Void) throws -> TaggedContent {
    let beginning = try begin()
    var hash = beginning.hash
    let isWhole = try gather(beginning.first, into: &hash)
    var content = parts.joinedBytes
    try check(content.count)
    parts = []
    if isWhole { return TaggedContent(content: content, fields: beginning.fields, tag: hash.finish()) }
    let gathered = content.count
    try readRest(of: &content, check)
    let tag: ContentHash.Digest
    if planned.plan.plan.isSingle {
      content.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[gathered...])) }
      tag = hash.finish()
    } else {
      tag = state.tag(of: planned, records)
    }
    return TaggedContent(content: content, fields: beginning.fields, tag: tag)
  }

  struct TaggedContent {
    let content: [UInt8]
    /// The fields that not all results have.
    let fields: HTTPHeaders
    let tag: ContentHash.Digest
  }

  private func readRest(of content: inout [UInt8], _ check: (Int) throws -> Void) throws {
    try check(content.count)
    while let part = try source.next() {
      content += part
      try check(content.count)
    }
  }
}
