import KindredModel
import KindredSQLSyntax
import KindredHTTP
import KindredRequests

/// Writes of one value, `PUT /photos/1/bytes` and DELETE for NULL: a change of the record that names one column.
extension WriteTarget {
  /// Whether the content is the bytes of a BLOB, of any media type.
  var takesBytes: Bool { column?.takesBase64 ?? false }

  /// - Throws: `Problem` (415) unless the content of a PUT is JSON, or bytes.
  func checkValueType(of request: HTTPRequest) throws {
    guard request.method == .put else { return }
    if takesBytes {
      try WriteContent.checkCoding(of: request)
    } else {
      try WriteContent.checkType(of: request, among: [MediaType.json.rawValue])
    }
  }

  /// - Throws: `RequestError` if a write of one value has a parameter.
  func checkParameters(_ query: URLQuery) throws {
    guard column != nil, let parameter = try QueryParameters(query).parameters.first else { return }
    throw RequestError(
      .unknownParameter, "a write of one value has no parameters; leave out `\(parameter.name)`",
      at: Origin(parameter: parameter.name))
  }
}

extension RecordDraft {
  /// The most bytes of a value, which is held in memory.
  private static let maximumByteCount = 64 << 20

  /// Creates the change of a record that sets a column to the content of a request; DELETE sets NULL.
  ///
  /// - Parameter takesBytes: Whether the content is the bytes themselves; otherwise it is JSON.
  /// - Throws: `Problem`, `RequestError`.
  init(
    _ column: Column, in request: HTTPRequest, of resource: WrittenResource, _ model: Model, takesBytes: Bool
  ) throws {
    pointer = JSONPointer()
    guard let index = resource.writableColumns.firstIndex(named: column.name) else {
      throw RequestError.forbidden("\(resource.name).\(column.name)")
    }
    let column = resource.writableColumns[index]
    let value: SQLValue
    if request.method == .delete {
      value = .null
    } else if takesBytes {
      value = .blob(try Self.bytes(of: request))
    } else {
      let document = try WriteContent.document(of: request)
      do {
        value = try column.value(of: document.root, in: document)
      } catch {
        throw Problem.refusedValue(error.message, at: pointer)
      }
    }
    try add(Assignment(column: column.name, value: value), to: column, of: resource)
  }

  private static func bytes(of request: HTTPRequest) throws -> [UInt8] {
    guard request.headers["Content-Range"] == nil else {
      throw RequestError(
        .invalidValue, "the content replaces the whole value; leave out `Content-Range`")
    }
    guard request.longBody != nil else { return request.body }
    var reader = ContentReader(request)
    var bytes: [UInt8] = []
    while true {
      let part = try reader.next()
      if part.isEmpty { return bytes }
      guard bytes.count + part.count <= maximumByteCount else {
        throw Problem(
          .contentTooLarge, "content-too-large", title: "Content too large",
          detail: "a value may have at most \(maximumByteCount >> 20) MiB")
      }
      bytes.append(contentsOf: part)
    }
  }
}

extension Substring {
  /// The path without its last segment.
  var withoutLastSegment: Substring { lastIndex(of: "/").map { self[..<$0] } ?? self }
}
