import KindredModel

extension FetchRequestParser {
  /// Sets which page is read.
  ///
  /// - Parameter place: The parameters `after` and `before`.
  func applyPlace(
    _ place: [QueryParameters.Parameter], to parsed: inout ParsedRequest, segments: [Substring]
  ) throws {
    guard let parameter = place.first else { return }
    func refusal(_ message: String, at parameter: QueryParameters.Parameter) -> RequestError {
      RequestError(.invalidValue, message, at: parameter.origin)
    }
    guard !parsed.fetchRequest.path.isSingle else {
      throw refusal("a single record has no pages; leave out `\(parameter.name)`", at: parameter)
    }
    guard place.count == 1 else {
      throw refusal("a page has one cursor; leave out `\(place[1].name)`", at: place[1])
    }
    guard parsed.fetchRequest.root.offset == nil else {
      throw refusal(
        "a page with a cursor begins there; leave out `offset` or `\(parameter.name)`", at: parameter)
    }
    let isBackward = parameter.kind == "before"
    guard !parameter.value.isEmpty else {
      guard isBackward else { throw refusal("`after` is empty; use the cursor in `Link`", at: parameter) }
      parsed.fetchRequest.page = .before(nil)
      return
    }
    let order = RequestOrder(
      segments: segments, terms: parsed.orderTerms, patterns: parsed.patterns, principal: principal)
    guard
      let cursor = try cursors?.decode(parameter.value, in: parameter.name, for: order.associatedData)
    else { return }
    parsed.fetchRequest.page = isBackward ? .before(cursor) : .after(cursor)
  }
}
