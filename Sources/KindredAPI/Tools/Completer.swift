import KindredAssociations
import OrderedCollections

/// Tells what may stand at a place of a URL (§14 of the contract).
///
/// It knows no grammar of its own: the parser of requests reads the text up to the place and tells what it looks for
/// next, and the model tells the names.
struct Completer {
  let model: Model
  let limits: RequestLimits

  /// - Parameter position: in Unicode scalars of `url`, and not beyond its end.
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

  /// The scope of a node's expressions; nil where the request has no such node.
  func scope(of draft: RequestDraft, node path: some Sequence<String>) -> NameScope? {
    guard let request = draft.request, let resource = request.path.resource(in: model) else { return nil }
    var scope: NameScope? = NameScope(model: model, resource: resource, root: request.root)
    for key in path { scope = scope?.node(key) }
    return scope
  }
}

extension RequestPath {
  /// The resource of the records at its end.
  func resource(in model: Model) -> Resource? {
    var name = resource
    for case .association(let association) in segments { name = association.destination }
    return model.resources[name]
  }
}
