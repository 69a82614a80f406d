import KindredBackend
import KindredHTTP
import KindredOutput
import KindredRequests

/// Reads the value of one column: a BLOB as its bytes, any other value as JSON.
final class ColumnValueReading {
  private let execution: ReadExecution
  private let wanted: RecordsQuery
  private let request: HTTPRequest
  private let reading: any ReadTransaction
  private let state: ShownState
  private let service: RecordsService

  private var planned: PlannedRequest { execution.planned }
  private var reader: any ResultSource { execution.source }

  /// - Parameter reading: A transaction with a snapshot; it is closed with the content of the response.
  init(
    _ execution: ReadExecution, of wanted: RecordsQuery, _ request: HTTPRequest,
    _ reading: any ReadTransaction, at state: ShownState, _ service: RecordsService
  ) {
    self.execution = execution
    self.wanted = wanted
    self.request = request
    self.reading = reading
    self.state = state
    self.service = service
  }

  /// The longest BLOB that is read into memory, so that its tag is that of its content.
  private static let longestInMemory = 1 << 20

  func response() throws -> HTTPResponse {
    do {
      try reader.start()
      if let long = reader.longBlob {
        if long.count > Self.longestInMemory { return try response(with: long) }
        try reader.read(bytes: 0..<long.count)
        return response(with: try content())
      }
      if let blob = reader.blob {
        close()
        return response(with: blob)
      }
      return service.deliver(Representation(MediaType.json.field, try content()), to: request)
    } catch {
      reader.close()
      throw error
    }
  }

  private func close() {
    reader.close()
    reading.close()
  }

  /// Returns the whole content, and releases the connection.
  private func content() throws -> [UInt8] {
    var content: [UInt8] = []
    while let part = try reader.next() { content += part }
    close()
    return content
  }

  // MARK: BLOBs

  private func response(with blob: [UInt8]) -> HTTPResponse {
    let type = BlobType(sniffing: blob)
    var representation = Representation(type.mediaType, blob)
    addFields(of: type, to: &representation.headers)
    guard request.method != .head, let range = request.headers["Range"] else {
      return service.deliver(representation, to: request)
    }
    // A range refers to the plain bytes, so they aren't compressed.
    var response = representation.response(to: request, compressionLevel: nil)
    if let range = ByteRange.apply(range, ifRange: request.headers["If-Range"], to: &response, of: blob.count)
    {
      response.body = .bytes(Array(blob[range]))
    }
    return response
  }

  /// Returns a response whose content is read while it is sent.
  ///
  /// It is never compressed: most long BLOBs are images or archives.
  private func response(with blob: LongBlob) throws -> HTTPResponse {
    let type = BlobType(sniffing: blob.beginning)
    var representation = Representation(
      headers: Representation.headers(type.mediaType), content: .bytes([]),
      tag: state.tag(of: planned, wanted))
    addFields(of: type, to: &representation.headers)
    var response = representation.response(to: request, compressionLevel: nil)
    guard response.status == .ok else {
      close()
      return response
    }
    var range = 0..<blob.count
    if request.method != .head, let field = request.headers["Range"] {
      let part = ByteRange.apply(field, ifRange: request.headers["If-Range"], to: &response, of: blob.count)
      guard response.status != .rangeNotSatisfiable else {
        close()
        return response
      }
      range = part ?? range
    }
    try reader.read(bytes: range)
    let body = ResultBody(
      reading, at: state.number, reader, among: service.database.snapshots,
      in: service.context.options.spools,
      for: request.client)
    response.body = .stream(body, length: range.count)
    return response
  }

  private func addFields(of type: BlobType, to headers: inout HTTPHeaders) {
    headers.append("Accept-Ranges", "bytes")
    // Whatever the bytes are, they get none of this origin's rights (W3C, Content Security Policy, "sandbox").
    headers.append("Content-Security-Policy", "default-src 'none'; sandbox")
    guard type.isActive else { return }
    headers.append(
      "Content-Disposition", ContentDisposition.attachment(named: "\(planned.name).\(type.fileExtension)"))
  }
}
