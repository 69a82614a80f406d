import KindredHTTP

extension ExplorerPage {
  /// Creates the page of a request for records.
  init(_ request: HTTPRequest, isSingle: Bool, isWritable: Bool) {
    let title = URLCoding.readable(request.target)
    self.init(title: title, target: request.target, isSingle: isSingle, isWritable: isWritable)
  }

  /// Adds links to the whole result in other formats, of which JSON may have only as many records as a page.
  ///
  /// - Parameters:
  ///   - isTabular: Whether the result can be written as CSV.
  ///   - pageSize: The largest number of records in JSON; nil for any number.
  ///   - hasMore: Whether records follow after this page.
  mutating func addDownloads(of request: HTTPRequest, isTabular: Bool, pageSize: Int64?, hasMore: Bool) {
    let pairs = (request.query ?? "").split(separator: "&")
    let kept = pairs.filter { !["limit", "offset", "after", "format"].contains(PageLinks.name(of: $0)) }
    func target(_ more: [String]) -> String {
      URLCoding.encodeUnsafe("\(request.path)?\((kept.map(String.init) + more).joined(separator: "&"))")
    }
    let limit = isSingle ? [] : pageSize.map { ["limit=\($0)"] } ?? []
    let isWhole = limit.isEmpty || !hasMore && !pairs.contains(where: PageLinks.isPlace)
    let most = isWhole ? "" : pageSize.map { " (first \($0))" } ?? ""
    downloads = [("JSON\(most)", target(limit + ["format=json"]))]
    if isTabular { downloads.append(("CSV", target(["format=csv"]))) }
    downloads.append(("NDJSON", target(["format=ndjson"])))
  }
}
