import KindredPlanning
import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput
import KindredRequests
import KindredExplorer

/// Reads records, from the first statement to their representation.
final class RecordsReading {
  private let planned: PlannedRequest
  private let asked: RecordsRequest
  /// The number of the model.
  private let model: Int
  /// The state of the database before the snapshot was taken; nil if unknown.
  private let stateNumber: Int64?
  private let reading: any ReadTransaction
  private let service: RecordsService
  private var reader: any ResultSource

  /// - Parameter reading: A transaction with a snapshot; it is closed with the representation's content.
  init(
    _ planned: PlannedRequest, for asked: RecordsRequest, in model: Int, at stateNumber: Int64?,
    _ reading: any ReadTransaction, _ service: RecordsService
  ) {
    self.model = model
    self.stateNumber = stateNumber
    self.planned = planned
    self.asked = asked
    self.reading = reading
    self.service = service
    reader = Self.reader(planned, reading)
  }

  /// Releases the statements; the transaction keeps its connection.
  func close() { reader.close() }

  /// The records and their cursor were sorted at the same time, which took too much memory.
  struct SortedTwice: Error {
    let error: any BackendError
  }

  func representation() throws -> Representation {
    let beginning: Beginning
    do {
      beginning = try begin()
    } catch let error as any BackendError
      where error.kind == .exceeded("memory") && takesTwoStatements && !asked.startsWithCursor
    {
      throw SortedTwice(error: error)
    }
    var hash = beginning.hash
    if reader.isAtEnd { return whole(beginning, tag: hash.finish()) }
    var parts = [reader.takePart()]
    if let tag = knownTag { return streamed(beginning, parts, tag: tag) }
    while !reader.isAtEnd, parts.byteCount < Self.gatheredLength, let part = try reader.next() {
      hash.update(part)
      parts.append(reader.takePart())
    }
    if reader.isAtEnd { return whole(beginning, parts, tag: hash.finish()) }
    let isSingle = planned.plan.plan.isSingle
    let tag = try isSingle ? measure(after: hash) ?? tagOfState : tagOfState
    remember(tag, beginning.fields, isLong: true, isStreamed: true)
    guard isSingle else { return streamed(beginning, parts, tag: tag) }
    // Read the record again, from the same snapshot as for the tag.
    reader.close()
    reader = Self.reader(planned, reading)
    let again = try begin()
    return streamed(again, [reader.takePart()], tag: tag)
  }

  // MARK: Tags

  /// The state of the snapshot, or an earlier one; nil if it is unknown.
  private var version: Int64? { reading.observedState ?? stateNumber }

  /// The tag of content that is too long to be held in memory, if it was read before and is still the same.
  private var knownTag: ContentHash.Digest? {
    guard let entry = asked.last, entry.isStreamed, entry.model == model,
      let state = stateOfTables
    else { return nil }
    // Without the tables, only the same state certainly has the same content.
    return state == entry.state || readTables != nil && state < entry.state ? entry.tag : nil
  }

  /// The state of the tables that the content shows: as long as their state has this number, the content is the same.
  ///
  /// Nil if it is unknown, if others have changed them since the snapshot, or if the content depends on something else
  /// too.
  private var stateOfTables: Int64? {
    guard planned.isTimeless, let version else { return nil }
    guard let tables = readTables else { return reading.shows(state: version) ? version : nil }
    return service.database.tableStates.lastChange(of: tables).flatMap { $0 <= version ? $0 : nil }
  }

  /// The tables that the content depends on; nil if they are unknown.
  private var readTables: Set<String>? {
    try? planned.plan.readTables.find { try reading.tables(readBy: planned.plan.plan) }
  }

  /// Returns the tag of content whose beginning has been read, or nil if it is too long to be read only for that.
  private func measure(after beginning: ContentHash) throws -> ContentHash.Digest? {
    var hash = beginning
    let seconds = (service.context.options.queryTime ?? 10) * service.context.options.measuredShare
    let end = MonotonicTime.now() + UInt64(seconds * 1e9)
    while let part = try reader.next() {
      hash.update(part)
      guard MonotonicTime.now() < end else { return nil }
    }
    return hash.finish()
  }

  /// How many bytes are read before anything is sent: a shorter result frees its connection early, and its tag is the
  /// hash of its content.
  private static let gatheredLength = 1 << 20
  /// The length of a whole collection up to which the answer tells it; longer ones are read line by line.
  private static let countedLength = 256 << 10

  /// A tag for content that is too long to be hashed first: it changes with the tables that the content depends on.
  private var tagOfState: ContentHash.Digest {
    var text = ListBytes()
    text.append(String(service.representations.instance))
    asked.key.append(to: &text)
    text.append(String(model))
    if let state = stateOfTables {
      text.append(String(state))
    } else {
      text.append("unknown \(UInt64.random(in: .min ... .max))")
    }
    var hash = ContentHash()
    text.bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }

  /// - Parameter content: The content, if it could be cached.
  private func remember(
    _ tag: ContentHash.Digest, _ fields: HTTPHeaders, isLong: Bool, isStreamed: Bool,
    content: Representation.Content? = nil
  ) {
    guard planned.isTimeless, let version else { return }
    service.database.currentState.note(version)
    let cached = content.flatMap { contentToCache($0, tag) }
    // The tables of a plan with transient ones can be determined only now.
    if asked.condition != nil || cached != nil || !planned.plan.plan.transients.isEmpty { _ = readTables }
    service.representations.store(
      RepresentationCache.Entry(
        asked.key, model: model, state: version, tables: planned.plan.readTables, tag: tag, fields: fields,
        isLong: isLong, isStreamed: isStreamed, content: cached))
  }

  /// Returns the content to cache, if the last response was the same: most are requested only once, or change more
  /// often than that.
  private func contentToCache(
    _ content: Representation.Content, _ tag: ContentHash.Digest
  ) -> RepresentationCache.Content? {
    let maximum = service.representations.maximumContent
    guard maximum > 0, let last = asked.last, last.tag == tag else { return nil }
    let bytes: [UInt8]
    switch content {
    case .bytes(let whole) where whole.count <= maximum: bytes = whole
    case .result(let parts) where parts.byteCount <= maximum: bytes = parts.joinedBytes
    case .bytes, .result, .stream: return nil
    }
    // Tags only detect changes: contents with the same one may differ if somebody wants it.
    if let known = last.content, known.bytes == bytes { return known }
    return RepresentationCache.Content(bytes: bytes)
  }

  // MARK: Reading

  /// Whether the cursor of a page is found by a statement of its own.
  private var takesTwoStatements: Bool {
    planned.plan.plan.lookahead != nil && (!asked.type.isUnpaged || planned.limit != nil)
  }

  private static func reader(_ planned: PlannedRequest, _ reading: any ReadTransaction) -> any ResultSource {
    reading.result(of: planned.plan, planned.parameters, limit: planned.limit)
  }

  /// The state after the first part has been read.
  private struct Beginning {
    var first: UnsafeRawBufferPointer?
    /// The fields that not all results have.
    var fields = HTTPHeaders()
    /// The page around the content.
    var page: ExplorerPage?
    /// The hash of the metadata and the first part.
    var hash: ContentHash
  }

  private func begin() throws -> Beginning {
    if asked.startsWithCursor { try reader.startAfterCursor() } else { try reader.start() }
    var beginning = Beginning(first: try reader.next(), hash: ContentHash())
    if let count = reader.totalCount { beginning.fields.append("X-Total-Count", String(count)) }
    if let count = reader.estimatedCount { beginning.fields.append("X-Estimated-Count", String(count)) }
    var links: PageLinks?
    if asked.type == .html {
      beginning.page = ExplorerPage(
        asked.records.target, below: service.context.options.basePath, isSingle: planned.plan.plan.isSingle,
        isWritable: service.context.isWritable)
      beginning.fields.append("Content-Security-Policy", ExplorerPage.policy)
      beginning.fields.append("Referrer-Policy", "same-origin")
    }
    if asked.isAttachment {
      beginning.fields.append("Content-Disposition", asked.type.attachment(named: planned.name))
    }
    if !planned.plan.plan.isSingle, !asked.type.isUnpaged || planned.limit != nil {
      let found = PageLinks(
        asked.records, next: try reader.pageCursor(), of: planned, service.context.longRequests)
      if let field = found.field { beginning.fields.append("Link", field) }
      beginning.page?.links = found.shown
      links = found
    }
    beginning.page?.addDownloads(
      of: asked.records.query, isTabular: planned.isTabular,
      pageSize: service.context.options.limits.maximumPageSize,
      hasMore: links?.next != nil
    ) { pairs in
      PageLinks.url(
        asked.records.path, pairs, service.context.longRequests, for: asked.records.principal.standing)
    }
    beginning.hash = .ofResult(
      asked.type, totalCount: reader.totalCount ?? reader.estimatedCount, links: links)
    // The header contains the URLs of the explorer's files, which change with the program.
    if let page = beginning.page { beginning.hash.update(page.header) }
    if let first = beginning.first { beginning.hash.update(first) }
    return beginning
  }

  // MARK: Representations

  /// Up to this size a copy is cheaper than transferring the buffer.
  private static let copiedLength = 8192

  /// Returns content in memory, after releasing the connection.
  ///
  /// - Parameter gathered: The content, if it is more than the first part.
  private func whole(
    _ beginning: Beginning, _ gathered: [ResultPart]? = nil, tag: ContentHash.Digest
  ) -> Representation {
    let content: Representation.Content
    if let page = beginning.page {
      let bytes = gathered?.joinedBytes ?? beginning.first.map { [UInt8]($0) } ?? []
      content = .bytes(Array(page.header.utf8) + bytes + page.footer.utf8)
    } else if let gathered, asked.type.isUnpaged, gathered.byteCount > Self.countedLength {
      content = .stream(WholeBody(gathered))
    } else if let first = beginning.first, gathered != nil || first.count > Self.copiedLength {
      content = .result(gathered ?? [reader.takePart()])
    } else {
      content = .bytes(beginning.first.map { [UInt8]($0) } ?? [])
    }
    reader.close()
    let representation = Representation(
      headers: asked.headers(with: beginning.fields), content: content, tag: tag)
    remember(tag, beginning.fields, isLong: representation.isLong, isStreamed: false, content: content)
    reading.close()
    return representation
  }

  /// - Parameter parts: The content read so far.
  private func streamed(
    _ beginning: Beginning, _ parts: [ResultPart], tag: ContentHash.Digest
  ) -> Representation {
    let rest = ResultBody(
      reading, at: version, reader, among: service.database.snapshots, in: service.context.options.spools,
      for: asked.request.client)
    let body = FramedBody(
      Array((beginning.page?.header ?? "").utf8), parts, rest, Array((beginning.page?.footer ?? "").utf8))
    return Representation(
      headers: asked.headers(with: beginning.fields), content: .stream(body), tag: tag)
  }
}
