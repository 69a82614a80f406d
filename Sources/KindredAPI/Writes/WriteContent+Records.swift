import KindredModel
import KindredHTTP
import KindredRequests

extension WriteContent {
  /// The records of a document, and the paths of the associations nested in them.
  struct Records: Sendable {
    var drafts: [RecordDraft] = []
    var isArray = false
    var paths: [[String]] = []
  }

  /// Returns the records in the content of a request whose form has been checked.
  ///
  /// - Throws: `Problem`, `RequestError`.
  static func records(
    in request: HTTPRequest, isMergePatch: Bool, of resource: WrittenResource, version: ModelVersion,
    limits: RequestLimits
  ) throws -> Records {
    let document = try document(of: request)
    let allowsArray = request.method == .post
    var reader = RecordDraftReader(
      version: version, document: document, limits: limits, isMergePatch: isMergePatch)
    var records = Records()
    if allowsArray, case .array(let elements) = document.root.content {
      records.isArray = true
      for (index, element) in elements.enumerated() {
        records.drafts.append(try reader.record(element, of: resource, at: JSONPointer() + index))
      }
    } else {
      records.drafts = [try reader.record(document.root, of: resource)]
    }
    records.paths = reader.paths
    return records
  }
}
