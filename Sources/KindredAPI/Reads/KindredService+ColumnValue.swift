import KindredBackend
import KindredHTTP

extension KindredService {
  /// Returns the value of one column: a BLOB as its bytes, any other value as JSON.
  ///
  /// - Parameter reading: A transaction with a snapshot, which the caller closes.
  func columnValue(
    _ planned: PlannedRequest, for request: HTTPRequest, _ reading: any ReadTransaction
  ) throws -> HTTPResponse {
    let reader = reading.result(of: planned.plan, planned.parameters)
    defer { reader.close() }
    try reader.start()
    guard let blob = reader.blob else {
      var json: [UInt8] = []
      while let part = try reader.next() { json += part }
      return deliver(Representation(MediaType.json.field, json), to: request)
    }
    let type = BlobType(sniffing: blob)
    var representation = Representation(type.mediaType, blob)
    representation.headers.append("Accept-Ranges", "bytes")
    // Whatever the bytes are, they get none of this origin's rights (W3C, Content Security Policy, "sandbox").
    representation.headers.append("Content-Security-Policy", "default-src 'none'; sandbox")
    if type.isActive {
      representation.headers.append(
        "Content-Disposition", ContentDisposition.attachment(named: "\(planned.name).\(type.fileExtension)"))
    }
    guard request.method == .get, let range = request.headers["Range"] else {
      return deliver(representation, to: request)
    }
    // A range refers to the plain bytes, so they aren't compressed.
    var response = representation.response(to: request, compressionLevel: nil)
    ByteRange.apply(range, ifRange: request.headers["If-Range"], to: &response, blob)
    return response
  }
}
