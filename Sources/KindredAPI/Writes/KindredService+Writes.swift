import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite

extension KindredService {
  /// Whether clients may write.
  var isWritable: Bool { options.isWritable && pool.isWritable }

  /// The value of `Allow` for records.
  func allow(_ segments: [Substring]) throws -> String {
    guard isWritable else { return WriteTarget.allow() }
    let model = try pool.withReader { try models.version(for: $0).model }
    // To ask about what is not there is no error, least of all for a browser that asks on behalf of a page.
    return (try? WriteTarget(segments, in: model))?.allow ?? WriteTarget.allow()
  }

  /// Writes as a request says: all of it, or nothing.
  func write(_ segments: [Substring], _ request: HTTPRequest, _ timing: inout RequestTiming) throws
    -> HTTPResponse
  {
    guard isWritable else { throw Problem.methodNotAllowed(request.method, allow: WriteTarget.allow()) }
    // All that can be refused is refused before the lock is taken.
    let plan = try WritePlan(segments, request, try pool.withReader { try models.version(for: $0) }, self)
    timing.mark("plan")
    let result = try pool.withWriter { connection in
      if let seconds = options.queryTime {
        connection.setDeadline(MonotonicTime.now() + UInt64(seconds * 1e9))
      }
      let handle = connection.interruptHandle
      request.cancellation.onCancel { handle.interrupt() }
      defer { request.cancellation.onCancel(nil) }
      do {
        return try connection.writeTransaction {
          let version = try models.version(for: connection)
          let isCurrent = version.schemaVersion == plan.version.schemaVersion
          let plan = isCurrent ? plan : try WritePlan(segments, request, version, self)
          return try WriteExecution(plan: plan, request: request, connection: connection, service: self).run()
        }
      } catch let error as DatabaseError {
        // Deferred foreign keys speak at the end of the transaction.
        throw Problem(refusing: error) ?? error
      }
    }
    timing.mark("write")
    changeFeed?.nudge()
    return response(result, to: request)
  }

  private func response(_ result: WriteResult, to request: HTTPRequest) -> HTTPResponse {
    var response = HTTPResponse(status: result.status, headers: ["Cache-Control": "no-store"])
    if let location = result.location { response.headers.append("Location", location) }
    if result.isMinimal { response.headers.append("Preference-Applied", WriteResult.minimalPreference) }
    guard let content = result.content else { return response }
    response.headers.append("Content-Type", MediaType.json.rawValue)
    response.headers.append("Vary", "Accept-Encoding")
    let coding = Representation.coding(
      for: request, isLong: content.count >= Representation.longLength,
      compressionLevel: options.compressionLevel)
    let gzip =
      coding == .gzip ? options.compressionLevel.flatMap { try? Gzip.compress(content, level: $0) } : nil
    response.body = .bytes(gzip ?? content)
    if gzip != nil { response.headers.append("Content-Encoding", "gzip") }
    if let tag = result.tag {
      response.headers.append("ETag", EntityTag(digest: tag, coding: gzip == nil ? .identity : .gzip).field)
    }
    return response
  }
}

/// What a write comes to.
struct WriteResult {
  var status: HTTPStatus
  /// The path of the one record that was added.
  var location: String?
  /// In JSON; nil where there is nothing to tell.
  var content: [UInt8]?
  /// Of the record as a GET without parameters gives it, where that is the content.
  var tag: ContentHash.Digest?
  /// Whether the client didn't want to be told more.
  var isMinimal = false

  /// That the client does without the content (RFC 7240 §4.2).
  static let minimalPreference = "return=minimal"
}
