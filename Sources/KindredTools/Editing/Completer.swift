import KindredModel
import KindredPlanning
import KindredRequests

/// Completes URLs (docs/tools.md).
///
/// It has no grammar of its own: the parser of requests parses the text up to the position and reports what it expects
/// next, and the model provides the names.
struct Completer {
  let model: Model
  let limits: RequestLimits

  /// Returns the items that may be inserted at a position.
  ///
  /// - Parameter position: In Unicode scalars of `url`, not beyond its end.
  func completions(of url: String, at position: Int) -> [Completion] {
    let text = RequestText(url)
    if let query = text.query, position >= query.lowerBound {
      guard position <= query.upperBound else { return [] }
      let range = text.surroundings(of: position, in: query, separator: "&")
      let sign = text.scalars[range].firstIndex(of: "=") ?? range.upperBound
      guard position > sign else {
        return parameterNames(in: text, name: range.lowerBound..<sign, at: position)
      }
      return values(
        in: text, name: range.lowerBound..<sign, value: (sign + 1)..<range.upperBound, at: position)
    }
    guard text.path.contains(position) || position == text.path.upperBound else { return [] }
    return segments(in: text, at: position)
  }

  /// Returns the scope of a node's expressions, or nil if the request has no such node.
  func scope(of draft: RequestDraft, node path: some Sequence<String>) -> NameScope? {
    guard let request = draft.request, let resource = request.path.resource(in: model) else { return nil }
    var scope: NameScope? = NameScope(
      model: model, resource: resource, node: request.root, parent: nil)
    for key in path { scope = scope?.node(key) }
    return scope
  }
}
