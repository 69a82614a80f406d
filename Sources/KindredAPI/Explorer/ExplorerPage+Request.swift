import KindredHTTP

extension ExplorerPage {
  /// Creates the page of a request for records.
  init(_ request: HTTPRequest, isSingle: Bool, isWritable: Bool) {
    let title = URLCoding.readable(request.target)
    self.init(title: title, target: request.target, isSingle: isSingle, isWritable: isWritable)
  }

  /// Adds links to the whole result in other formats.
  ///
  /// - Parameters:
  ///   - isTabular: Whether the result can be written as CSV.
  ///   - pageSize: The largest number of records in JSON; nil for any number.
  mutating func addDownloads(of request: HTTPRequest, isTabular: Bool, pageSize: Int64?) {
    let places: Set = ["limit", "offset", "after", "format"]
    let kept = (request.query ?? "").split(separator: "&").filter { pair in
      let name = try? URLCoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true)
      return !places.contains(name ?? "")
    }
    func target(_ more: [String]) -> String {
      URLCoding.encodeUnsafe("\(request.path)?\((kept.map(String.init) + more).joined(separator: "&"))")
    }
    let limit = isSingle ? [] : pageSize.map { ["limit=\($0)"] } ?? []
    downloads = [("JSON", target(limit + ["format=json"]))]
    if isTabular { downloads.append(("CSV", target(["format=csv"]))) }
    downloads.append(("NDJSON", target(["format=ndjson"])))
  }
}
