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

extension KindredService {
  /// The media types in which this server represents records.
  var recordTypes: [MediaType] {
    MediaType.ofRecords.filter { type in
      switch type {
      case .html: options.servesExplorer
      case .events: changeFeed != nil
      case .json, .lines, .jsonLines, .csv: true
      }
    }
  }

  /// The media types in which this server represents Kindred's own documents.
  var documentTypes: [MediaType] { options.servesExplorer ? MediaType.ofDocuments : [.json] }

  /// Returns whether the client prefers a page to JSON.
  func prefersPages(_ request: HTTPRequest) -> Bool {
    let accepted = try? MediaType.negotiate(request.headers.values(for: "Accept"), among: documentTypes)
    return accepted == .html
  }

  /// Returns a problem as a page.
  ///
  /// - Parameter principal: The client, whose rights restrict what the page may show of the model.
  func page(of problem: Problem, _ request: HTTPRequest, for principal: Principal?) -> ProblemPage {
    var description: RequestDescription?
    if problem.status.code < 500, let principal, let version = try? latestVersion() {
      // The request may have used up its own time, so this time is short; without a description the page is only
      // simpler.
      description = try? RequestDescription(
        request.target, model: version.seen(by: principal).model, limits: options.limits,
        cursors: (cursors, principal.standing),
        within: AnalysisTime(seconds: min(0.5, options.queryTime ?? 0.5), request.cancellation))
    }
    return ProblemPage(problem, request, description)
  }

  /// Returns a file of the explorer.
  func asset(_ path: Substring, _ request: HTTPRequest) throws -> HTTPResponse {
    guard options.servesExplorer else {
      throw Problem(.notFound, "not-found", title: "Not found", detail: "this server has no explorer")
    }
    return try ExplorerAssets.shared.response(to: request, at: path)
  }
}
