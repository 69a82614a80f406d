import KindredAssociations
import KindredExecution
import KindredHTTP

/// The reading of records, from the first statement to the representation that is made of them.
final class RecordsReading {
  private let planned: PlannedRequest
  private let asked: RecordsRequest
  private let reading: Reading
  private let service: KindredService
  private var reader: ResultReader

  /// - Parameter reading: in its snapshot; it is closed with the representation's content.
  init(_ planned: PlannedRequest, for asked: RecordsRequest, _ reading: Reading, _ service: KindredService) {
    self.planned = planned
    self.asked = asked
    self.reading = reading
    self.service = service
    reader = Self.reader(planned, reading)
  }

  /// Gives the statements back; the connection stays with the reading.
  func close() { reader.close() }

  func representation() throws -> Representation {
    var beginning = try begin()
    guard !reader.isAtEnd else { return whole(beginning) }
    let known = service.representations.entry(for: asked.key)
    guard let known, let content = known.content, asked.condition?.match(known.tag, coding: .identity) != nil
    else {
      return streamed(beginning, tag: newTag, content: nil)
    }
    // The client has what was sent last, and somebody has written since: reading all tells whether that changed it.
    let present = try hash(after: beginning)
    reader.close()
    reader = Self.reader(planned, reading)
    beginning = try begin()
    guard present == content else { return streamed(beginning, tag: newTag, content: nil) }
    return streamed(beginning, tag: known.tag, content: content)
  }

  // MARK: Reading

  private static func reader(_ planned: PlannedRequest, _ reading: Reading) -> ResultReader {
    ResultReader(
      planned.plan, on: reading.connection, parameters: planned.parameters, limit: planned.limit)
  }

  /// What is there once the first part has been read.
  private struct Beginning {
    var first: UnsafeRawBufferPointer?
    var headers: HTTPHeaders
    /// What is around the content.
    var page: ExplorerPage?
    /// Of all that tells about the content, and of its first part.
    var hash: ContentHash
  }

  /// The fields that are the same for all results.
  private static func headers(for type: MediaType) -> HTTPHeaders {
    type == .json ? jsonHeaders : Representation.headers(type.field)
  }

  // Made once: names and values are looked over byte by byte.
  private static let jsonHeaders = Representation.headers(MediaType.json.field)

  private func begin() throws -> Beginning {
    try reader.start()
    var beginning = Beginning(
      first: try reader.next(),
      headers: Self.headers(for: asked.type),
      hash: ContentHash())
    beginning.hash.update(asked.type.rawValue)
    if let count = reader.totalCount {
      beginning.headers.append("X-Total-Count", String(count))
      beginning.hash.update("\(count)")
    }
    if asked.type == .html {
      beginning.page = ExplorerPage(asked.request, isSingle: planned.plan.plan.isSingle)
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
        asked.request, next: cursor.flatMap { service.cursors.encode($0, for: planned.order.associatedData) })
      if let field = links.field { beginning.headers.append("Link", field) }
      // Not the cursor: another run of the server seals it by another key, and it may hold what is hidden.
      beginning.hash.update(links.first)
      beginning.hash.update(links.next == nil ? "" : "next")
      beginning.page?.links = [("first", links.first)] + (links.next.map { [("next", $0)] } ?? [])
    }
    // Which files a page needs changes with the program.
    if let page = beginning.page { beginning.hash.update(page.header + page.footer) }
    if let first = beginning.first { beginning.hash.update(first) }
    return beginning
  }

  private func hash(after beginning: Beginning) throws -> ContentHash.Digest {
    var hash = beginning.hash
    while let part = try reader.next() { hash.update(part) }
    return hash.finish()
  }

  // MARK: Representations

  /// Copying less costs less than handing over the memory it was written to.
  private static let copiedLength = 8192

  /// The connection is free before a byte is sent.
  private func whole(_ beginning: Beginning) -> Representation {
    let content: Representation.Content
    if let page = beginning.page {
      let bytes = beginning.first.map { [UInt8]($0) } ?? []
      content = .bytes(Array(page.header.utf8) + bytes + page.footer.utf8)
    } else if let first = beginning.first, first.count > Self.copiedLength {
      content = .result(reader.takePart())
    } else {
      content = .bytes(beginning.first.map { [UInt8]($0) } ?? [])
    }
    reader.close()
    reading.close()
    let representation = Representation(
      headers: beginning.headers, content: content, tag: beginning.hash.finish())
    if planned.isTimeless, asked.version != nil {
      service.representations.store(
        RepresentationCache.Entry(
          key: asked.key, version: asked.version, tag: representation.tag, content: representation.tag,
          isLong: representation.isLong))
    }
    return representation
  }

  /// - Parameter content: the hash of all of it, where it is known.
  private func streamed(
    _ beginning: Beginning, tag: ContentHash.Digest, content: ContentHash.Digest?
  ) -> Representation {
    let cache = service.representations
    let key = asked.key
    let version = planned.isTimeless ? asked.version : nil
    // What is known of the content already stays known.
    if cache.entry(for: key).map({ $0.tag != tag || $0.version != version }) ?? true {
      cache.store(
        RepresentationCache.Entry(key: key, version: version, tag: tag, content: content, isLong: true))
    }
    var body: any HTTPBodyStream = ResultBody(reading, reader, first: beginning.first, hash: beginning.hash) {
      guard var entry = cache.entry(for: key), entry.tag == tag else { return }
      entry.content = $0
      cache.store(entry)
    }
    if let page = beginning.page { body = FramedBody(Array(page.header.utf8), body, Array(page.footer.utf8)) }
    return Representation(headers: beginning.headers, content: .stream(body), tag: tag)
  }

  /// A tag for content that isn't read yet, and so can't be told by its hash.
  private var newTag: ContentHash.Digest {
    var hash = ContentHash()
    hash.update(service.instance)
    // Only if nobody has committed since the request came, the snapshot is the state of that number.
    if planned.isTimeless, let version = asked.version, service.databaseVersion.current == version {
      hash.update("\(version) ")
      asked.key.combine(into: &hash)
    } else {
      hash.update(String(UInt64.random(in: .min ... .max)))
    }
    return hash.finish()
  }
}
