import KindredHTTP
import KindredRequests

/// The media types in which a server represents things, the preferred one first.
struct OfferedTypes: Sendable {
  let ofRecords: [MediaType]
  /// The types of Kindred's own documents.
  let ofDocuments: [MediaType]

  init(_ options: KindredService.Options) {
    ofRecords = MediaType.ofRecords.filter { type in
      switch type {
      case .html: options.servesExplorer
      case .events, .rowEvents: options.live != nil
      case .json, .lines, .jsonLines, .csv, .markedCSV, .rows: true
      }
    }
    ofDocuments = options.servesExplorer ? MediaType.ofDocuments : [.json]
  }

  /// Returns the type of a document for a request.
  ///
  /// - Throws: `Problem` (406) if the client accepts none.
  func documentType(for request: HTTPRequest) throws -> MediaType {
    try MediaType.negotiate(request.headers.values(for: "Accept"), among: ofDocuments)
  }

  /// Returns whether the client prefers a page to JSON.
  func prefersPages(_ request: HTTPRequest) -> Bool { (try? documentType(for: request)) == .html }
}
