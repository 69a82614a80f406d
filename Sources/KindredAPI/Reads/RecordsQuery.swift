import KindredRequests

/// Which records a client reads, and in which form: what a plan depends on.
struct RecordsQuery: Sendable {
  /// The path as received.
  let path: Substring
  /// The segments of the path as received.
  let segments: [Substring]
  let query: URLQuery
  var type = MediaType.json
  let principal: Principal

  /// The path with the query.
  var target: String { query.text.isEmpty ? String(path) : "\(path)?\(query.text)" }
}
