import KindredRequests
import KindredSQLSyntax

/// What a client requests, byte by byte, as a part of the keys of what is kept: plans, answers and live results.
struct RequestKey: ExactKey {
  private let path: ExactText
  private let query: ExactText
  /// The length of the end of the query that came as the content of a QUERY, which its links leave out.
  private let contentLength: Int
  private let type: MediaType

  init(_ records: RecordsQuery) {
    self.init(path: records.path, records.query, records.type)
  }

  init(path: Substring, _ query: URLQuery, _ type: MediaType) {
    self.path = ExactText(path)
    self.query = ExactText(query.text)
    contentLength = query.content.utf8.count
    self.type = type
  }

  /// Adds all parts to a text that no other request has.
  func append(to text: inout ListBytes) {
    text.append(path.text)
    text.append(query.text)
    text.append(type.rawValue)
  }

  /// The approximate size in memory, in bytes.
  var size: Int { path.length + query.length + 64 }
}
