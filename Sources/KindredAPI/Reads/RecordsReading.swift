import KindredAssociations
import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput

/// Reads records, from the first statement to their representation.
final class RecordsReading {
  private let planned: PlannedRequest
  private let asked: RecordsRequest
  /// The state of the database before the snapshot was taken; nil if unknown.
  private let stateNumber: Int64?
  private let reading: any ReadTransaction
  private let service: RecordsService
  private var reader: any ResultSource

  /// - Parameter reading: A transaction with a snapshot; it is closed with the representation's content.
  init(
    _ planned: PlannedRequest, for asked: RecordsRequest, at stateNumber: Int64?,
    _ reading: any ReadTransaction, _ service: RecordsService
  ) {
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
    // A result that was long before is probably long again, so its first part is sent at once.
    let wasStreamed = service.representations.entry(for: asked.key)?.isStreamed ?? false
    if wasStreamed, let tag = knownTag { return streamed(beginning, parts, tag: tag) }
    let gathered = asked.type.isUnpaged ? Self.gatheredLines : Self.gatheredLength
    while !reader.isAtEnd, parts.byteCount < gathered, let part = try reader.next() {
      hash.update(part)
      parts.append(reader.takePart())
    }
    if reader.isAtEnd { return whole(beginning, parts, tag: hash.finish()) }
    if !wasStreamed, let tag = knownTag { return streamed(beginning, parts, tag: tag) }
    guard mayMeasure else {
      let tag = newTag
      remember(tag, isOfContent: false)
      return streamed(beginning, parts, tag: tag)
    }
    let measured = try measure(after: hash)
    let tag = measured ?? newTag
    remember(tag, isOfContent: measured != nil)
    // The response will be 304 or 412, so the content isn't needed.
    if measured != nil, isSettled(by: tag) { return whole(beginning, [], tag: tag) }
    // Read the content again, from the same snapshot as for the tag.
    reader.close()
    reader = Self.reader(planned, reading)
    let again = try begin()
    return streamed(again, [reader.takePart()], tag: tag)
  }

  // MARK: Tags

  /// The state of the snapshot, or an earlier one; nil if it is unknown.
  private var version: Int64? { reading.observedState ?? stateNumber }

  /// The tag of this content, if it has been read before and nothing has been written since.
  private var knownTag: ContentHash.Digest? {
    guard let entry = service.representations.entry(for: asked.key), entry.isOfContent,
      let version = stateVersion,
      entry.version == version
    else { return nil }
    return entry.tag
  }

  /// The database state of the snapshot; nil if it is unknown, or if the content depends on something else too.
  private var stateVersion: Int64? {
    guard planned.isTimeless, let version, reading.shows(state: version) else { return nil }
    return version
  }

  /// Whether to read the content for its tag before sending it; false if it was too long for that before.
  private var mayMeasure: Bool {
    planned.isTimeless && service.representations.entry(for: asked.key)?.isOfContent != false
  }

  /// Returns the tag of content whose beginning has been read, or nil if it is too long to be read only for that.
  private func measure(after beginning: ContentHash) throws -> ContentHash.Digest? {
    var hash = beginning
    let seconds = (service.options.queryTime ?? 10) * Self.measuredTime
    let end = MonotonicTime.now() + UInt64(seconds * 1e9)
    while let part = try reader.next() {
      hash.update(part)
      guard MonotonicTime.now() < end else { return nil }
    }
    return hash.finish()
  }

  /// How many bytes are read before anything is sent: a shorter result frees its connection early and has a known tag.
  private static let gatheredLength = 1 << 20
  /// The same for formats without pages, whose clients begin with the first records.
  private static let gatheredLines = 1 << 18
  /// The fraction of the query time that may be spent on reading for the tag alone; reading twice must fit.
  private static let measuredTime = 0.4

  /// A tag for content that is too long to be hashed first, derived from the database state.
  private var newTag: ContentHash.Digest {
    var hash = ContentHash()
    hash.update(service.representations.instance)
    if let version = stateVersion {
      hash.update("\(version) ")
      asked.key.combine(into: &hash)
    } else {
      hash.update(String(UInt64.random(in: .min ... .max)))
    }
    return hash.finish()
  }

  private func remember(
    _ tag: ContentHash.Digest, isOfContent: Bool, isLong: Bool = true, isStreamed: Bool = true
  ) {
    service.representations.store(
      RepresentationCache.Entry(
        key: asked.key, version: planned.isTimeless ? version : nil, tag: tag, isOfContent: isOfContent,
        isLong: isLong, isStreamed: isStreamed))
  }

  /// Returns whether the request's conditions alone decide its response.
  private func isSettled(by tag: ContentHash.Digest) -> Bool {
    asked.condition?.match(tag, coding: .identity) != nil
      || EntityTag.Condition(asked.request.headers.values(for: "If-Match"), isStrong: true).map {
        $0.match(tag, coding: .identity) == nil
      } ?? false
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
    var headers: HTTPHeaders
    /// The page around the content.
    var page: ExplorerPage?
    /// The hash of the metadata and the first part.
    var hash: ContentHash
  }

  /// Returns the fields that all results have.
  private static func headers(for type: MediaType) -> HTTPHeaders {
    type == .json ? jsonHeaders : Representation.headers(type.field)
  }

  // Created once, because appending validates names and values byte by byte.
  private static let jsonHeaders = Representation.headers(MediaType.json.field)

  private func begin() throws -> Beginning {
    if asked.startsWithCursor { try reader.startAfterCursor() } else { try reader.start() }
    var beginning = Beginning(
      first: try reader.next(),
      headers: Self.headers(for: asked.type), hash: ContentHash())
    if let count = reader.totalCount { beginning.headers.append("X-Total-Count", String(count)) }
    var isLastPage: Bool?
    if asked.type == .html {
      beginning.page = ExplorerPage(
        asked.request, isSingle: planned.plan.plan.isSingle, isWritable: service.isWritable)
      beginning.headers.append("Content-Security-Policy", ExplorerPage.policy)
      beginning.headers.append("Referrer-Policy", "same-origin")
      beginning.page?.addDownloads(
        of: asked.request, isTabular: planned.isTabular, pageSize: service.options.limits.maximumPageSize)
    }
    if asked.isAttachment {
      beginning.headers.append("Content-Disposition", asked.type.attachment(named: planned.name))
    }
    if !planned.plan.plan.isSingle, !asked.type.isUnpaged || planned.limit != nil {
      let cursor = try reader.pageCursor()
      let links = PageLinks(
        asked.request, next: cursor, of: planned, service.longRequests, for: asked.principal.standing)
      if let field = links.field { beginning.headers.append("Link", field) }
      isLastPage = cursor == nil
      beginning.page?.links = [("first", links.first)] + (links.next.map { [("next", $0)] } ?? [])
    }
    beginning.hash = .ofResult(asked.type, totalCount: reader.totalCount, isLastPage: isLastPage)
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
    } else if let first = beginning.first, gathered != nil || first.count > Self.copiedLength {
      content = .result(gathered ?? [reader.takePart()])
    } else {
      content = .bytes(beginning.first.map { [UInt8]($0) } ?? [])
    }
    reader.close()
    reading.close()
    let representation = Representation(headers: beginning.headers, content: content, tag: tag)
    // Content that was only measured has already been stored in the cache.
    if planned.isTimeless, version != nil, gathered?.isEmpty != true {
      remember(tag, isOfContent: true, isLong: representation.isLong, isStreamed: false)
    }
    return representation
  }

  /// - Parameter parts: The content read so far.
  private func streamed(
    _ beginning: Beginning, _ parts: [ResultPart], tag: ContentHash.Digest
  ) -> Representation {
    let rest = ResultBody(
      reading, at: version, reader, among: service.snapshots, in: service.options.spools,
      for: asked.request.client)
    let body = FramedBody(
      Array((beginning.page?.header ?? "").utf8), parts, rest, Array((beginning.page?.footer ?? "").utf8))
    return Representation(headers: beginning.headers, content: .stream(body), tag: tag)
  }
}
