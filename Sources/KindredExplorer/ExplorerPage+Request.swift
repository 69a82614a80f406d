import KindredModel
import KindredRequests

extension ExplorerPage {
  /// Creates the page of a request for records.
  ///
  /// - Parameter target: The target of the request as received.
  package init(_ target: String, below basePath: BasePath, isSingle: Bool = false, isWritable: Bool = false) {
    self.init(
      basePath: basePath, title: URLCoding.readable(target), isSingle: isSingle, isWritable: isWritable)
  }

  /// Adds links to the whole result in other formats, of which JSON may have only as many records as a page; those that
  /// would be too long are left out.
  ///
  /// - Parameters:
  ///   - isTabular: Whether the result can be written as CSV.
  ///   - pageSize: The largest number of records in JSON; nil for any number.
  ///   - hasMore: Whether records follow after this page.
  ///   - url: Makes a URL of parameters.
  package mutating func addDownloads(
    of query: URLQuery, isTabular: Bool, pageSize: Int64?, hasMore: Bool, by url: ([String]) -> String?
  ) {
    let kept = query.pairs(without: ["limit", "offset", "after", "format"])
    let limit = isSingle ? [] : pageSize.map { ["limit=\($0)"] } ?? []
    let isWhole = limit.isEmpty || !hasMore && !query.parameters.contains(where: query.isPlace)
    var formats = [("JSON", limit + ["format=json"], isWhole ? nil : pageSize)]
    if isTabular { formats.append(("CSV", ["format=csv"], nil)) }
    formats.append(("NDJSON", ["format=ndjson"], nil))
    downloads = formats.compactMap { format, more, most in
      url(kept.map(String.init) + more).map { Download(format: format, target: $0, most: most) }
    }
  }
}
