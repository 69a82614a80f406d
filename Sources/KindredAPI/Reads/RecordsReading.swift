import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredOutput
import KindredRequests
import KindredExplorer

/// Reads records, from the first statement to their representation.
final class RecordsReading {
  private let planned: PlannedRequest
  private let asked: RecordsRequest
  /// The state of the database that is shown.
  private let state: ShownState
  private let reading: any ReadTransaction
  private let service: RecordsService
  private let execution: ReadExecution

  /// - Parameter reading: A transaction with a snapshot; it is closed with the representation's content.
  init(
    _ planned: PlannedRequest, for asked: RecordsRequest, at state: ShownState,
    _ reading: any ReadTransaction,
    _ service: RecordsService
  ) {
    self.state = state
    self.planned = planned
    self.asked = asked
    self.reading = reading
    self.service = service
    execution = ReadExecution(planned, of: asked.records, in: reading, service.context)
  }

  private var reader: any ResultSource { execution.source }

  /// Releases the statements; the transaction keeps its connection.
  func close() { execution.close() }

  /// The records and their cursor were sorted at the same time, which took too much memory.
  struct SortedTwice: Error {
    let error: any BackendError
  }

  func representation() throws -> Representation {
    let beginning: Beginning
    do {
      beginning = try begin()
    } catch let error as any BackendError
      where error.kind == .exceeded("memory") && execution.takesTwoStatements && !asked.startsWithCursor
    {
      throw SortedTwice(error: error)
    }
    var hash = beginning.hash
    if reader.isAtEnd {
      if let first = beginning.first { hash.update(first) }
      return whole(beginning, tag: hash.finish())
    }
    if let tag = knownTag { return streamed(beginning, [reader.takePart()], tag: tag) }
    if try execution.gather(beginning.first, into: &hash) {
      return whole(beginning, execution.parts, tag: hash.finish())
    }
    let tag = try execution.tag(ofLongAfter: hash, at: state)
    remember(tag, beginning.fields, isLong: true, isStreamed: true)
    guard planned.plan.plan.isSingle else { return streamed(beginning, execution.parts, tag: tag) }
    // Read the record again, from the same snapshot as for the tag.
    execution.restart()
    let again = try begin()
    return streamed(again, [reader.takePart()], tag: tag)
  }

  // MARK: Tags

  /// The tag of content that is too long to be held in memory, if it was read before and is still the same.
  private var knownTag: ContentHash.Digest? {
    guard let entry = asked.last, entry.isStreamed, entry.model == state.model.number,
      let number = state.number(of: planned)
    else { return nil }
    // Without the tables, only the same state certainly has the same content.
    return number == entry.state || state.tables(of: planned) != nil && number < entry.state ? entry.tag : nil
  }

  /// The length of a whole collection up to which the answer tells it; longer ones are read line by line.
  private static let countedLength = 256 << 10

  /// - Parameter content: The content, if it could be cached.
  private func remember(
    _ tag: ContentHash.Digest, _ fields: HTTPHeaders, isLong: Bool, isStreamed: Bool,
    content: Representation.Content? = nil
  ) {
    guard planned.isTimeless, let number = state.number else { return }
    service.database.currentState.note(number)
    let cached = content.flatMap { contentToCache($0, tag) }
    // The tables of a plan with transient ones can be determined only now.
    if asked.conditions.mayBeHeld || cached != nil || !planned.plan.plan.transients.isEmpty {
      _ = state.tables(of: planned)
    }
    service.representations.store(
      RepresentationCache.Entry(
        asked.key, model: state.model.number, state: number, tables: planned.plan.readTables, tag: tag,
        fields: fields,
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

  /// The state after the first part has been read.
  private struct Beginning {
    var first: UnsafeRawBufferPointer?
    /// The fields that not all results have.
    var fields: HTTPHeaders
    /// The page around the content.
    var page: ExplorerPage?
    /// The hash of what precedes the content.
    var hash: ContentHash
  }

  private func begin() throws -> Beginning {
    let found = try execution.begin(startsWithCursor: asked.startsWithCursor)
    var beginning = Beginning(first: found.first, fields: found.fields, hash: found.hash)
    if asked.isAttachment {
      beginning.fields.append("Content-Disposition", asked.type.attachment(named: planned.name))
    }
    guard asked.type == .html else { return beginning }
    beginning.fields.append("Content-Security-Policy", ExplorerPage.policy)
    beginning.fields.append("Referrer-Policy", "same-origin")
    var page = ExplorerPage(
      asked.records.target, below: service.context.options.basePath, isSingle: planned.plan.plan.isSingle,
      isWritable: service.context.isWritable)
    if let links = found.links { page.links = links.shown }
    page.addDownloads(
      of: asked.records.query, isTabular: planned.isTabular,
      pageSize: service.context.options.limits.maximumPageSize, hasMore: found.links?.hasNext ?? false
    ) { pairs in
      PageTargets.url(
        asked.records.path, pairs, service.context.longRequests, for: asked.records.principal.standing)
    }
    // The header contains the URLs of the explorer's files, which change with the program.
    beginning.hash.update(page.header)
    beginning.page = page
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
      reading, at: state.number, reader, among: service.database.snapshots,
      in: service.context.options.spools,
      for: asked.request.client)
    let body = FramedBody(
      Array((beginning.page?.header ?? "").utf8), parts, rest, Array((beginning.page?.footer ?? "").utf8))
    return Representation(
      headers: asked.headers(with: beginning.fields), content: .stream(body), tag: tag)
  }
}
