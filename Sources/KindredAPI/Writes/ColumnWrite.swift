import KindredClock
import KindredModel
import KindredSQLSyntax
import KindredHTTP
import KindredPlanning
import KindredSpooling
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
      guard request.headers["Content-Range"] == nil else {
        throw RequestError(
          .invalidValue, "the content replaces the whole value; leave out `Content-Range`")
      }
      if request.longBody != nil { longValue = LongValue(column: column.name, request: request) }
      value = .blob(request.body)
    } else {
      let document = try WriteContent.document(of: request)
      do {
        value = try column.value(of: document.root, in: document)
        try column.checkBoolean(value)
      } catch {
        throw Problem.refusedValue(error.message, at: pointer)
      }
    }
    try add(Assignment(column: column.name, value: value), to: column, of: resource)
  }
}

/// A BLOB that is stored in parts after its record, in which it is empty until then.
struct LongValue: Sendable {
  let column: String
  let request: HTTPRequest
  /// The time in seconds that everything else may take; nil for no limit.
  var timeLimit: Double?

  /// The most bytes of a value that is part of a statement, and so held in memory.
  private static let maximumByteCount = 64 << 20

  /// The most bytes of a value with which the record is read for its tag after a write.
  static let readableByteCount = 16 << 20

  var byteCount: Int { request.longBody?.count ?? request.body.count }

  /// When a statement that begins now must end, in nanoseconds of `MonotonicTime`; nil for no limit.
  var deadline: UInt64? { timeLimit.map { MonotonicTime.after($0) } }

  /// Returns all bytes, for a statement.
  ///
  /// - Throws: `Problem` (413) if they are too many.
  func held() throws -> SQLValue {
    guard byteCount <= Self.maximumByteCount else {
      throw Problem(
        .contentTooLarge, "content-too-large", title: "Content too large",
        detail: "a value of this column may have at most \(Self.maximumByteCount >> 20) MiB")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    try forEachPart { bytes.append(contentsOf: $0) }
    return .blob(bytes)
  }

  /// Calls `body` with all bytes in parts.
  ///
  /// - Throws: `Problem` if they can't be read or the client has left.
  func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var reader = ContentReader(request)
    while true {
      let part = try reader.next()
      if part.isEmpty { return }
      guard !request.cancellation.isCancelled else { throw Problem.unavailable }
      try body(part)
    }
  }
}

extension Column {
  /// Checks that a column declared BOOLEAN is not set to a text, which SQLite would store.
  ///
  /// Records keep such texts, so that an export can be imported.
  ///
  /// - Throws: `Refusal`.
  fileprivate func checkBoolean(_ value: SQLValue) throws(Refusal) {
    guard valueFormat == .boolean, case .text = value else { return }
    throw Refusal(message: "`\(name)` is a boolean column; write `true`, `false` or `null`")
  }
}

extension Substring {
  /// The path without its last segment.
  var withoutLastSegment: Substring { lastIndex(of: "/").map { self[..<$0] } ?? self }
}
