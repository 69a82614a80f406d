import KindredRequests

/// What a plan depends on: one field for each thing, so that no two plans share a key by accident.
struct PlanKey: Hashable {
  /// What is planned.
  enum Content: Hashable {
    /// All requests of a shape.
    case shape(RequestShape.Pattern, MediaType)
    /// Exactly this request of a principal, whose cursor may be planned with it.
    case request(path: [Substring], query: Substring, MediaType, standing: [UInt8])
    /// The answer to a write: a record of a resource with these associations, shaped by these parameters.
    case written(resource: String, paths: [[String]], shaping: [[String]])
  }

  /// The number of the view of the model, which no other view has.
  let view: Int
  let content: Content

  /// The approximate size in memory, in bytes.
  var size: Int {
    switch content {
    case .shape(let pattern, _): pattern.bytes.count + 64
    case .request(let path, let query, _, let standing):
      path.reduce(0) { $0 + $1.utf8.count + 16 } + query.utf8.count + standing.count + 64
    case .written(let resource, let paths, let shaping):
      (paths + shaping).joined().reduce(resource.utf8.count) { $0 + $1.utf8.count + 16 } + 64
    }
  }
}
