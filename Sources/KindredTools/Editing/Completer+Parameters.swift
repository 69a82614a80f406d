import KindredModel
import KindredPlanning
import KindredRequests

extension Completer {
  /// Completes what is before the `=` of a parameter: parameters, columns, and nodes, which have parameters.
  ///
  /// - Parameter name: The range of the whole name.
  func parameterNames(in text: RequestText, name: Range<Int>, at position: Int) -> [Completion] {
    let range = text.surroundings(of: position, in: name, separator: ".")
    let keys = text.piece(name.lowerBound..<range.lowerBound, plusIsSpace: true).text
      .split(separator: ".").map(String.init)
    let draft = RequestDraft(text, model: model, limits: limits)
    guard let scope = scope(of: draft, node: keys) else { return [] }
    let word = TypedWord(
      text: text.piece(range.lowerBound..<position, plusIsSpace: true).text, range: range,
      next: text.scalars.indices.contains(range.upperBound) ? text.scalars[range.upperBound] : nil)
    let isOne = keys.isEmpty ? draft.request?.path.isSingle ?? false : scope.node?.isToOne ?? false
    var candidates = queryParameters(of: keys, scope, in: draft).map {
      Candidate(
        name: $0.name, kind: .parameter, detail: $0.kind.rawValue + ($0.isRequired ? ", required" : ""),
        ending: "=")
    }
    candidates += (keys.isEmpty ? RequestParameter.ofRoot : RequestParameter.ofNodes).filter {
      switch $0.value {
      case .cursor: false
      case .pattern: scope.resource.table.fullText != nil
      case .includes, .namedExpressions, .fields, .expression, .expressions, .sort, .boolean, .count, .words:
        !(isOne && $0.isOfMany)
      }
    }.map { Candidate(name: $0.name, kind: .parameter, detail: $0.summary, ending: "=") }
    candidates += (scope.node?.children ?? []).map {
      Candidate(name: $0.key, kind: .node, detail: $0.association?.destination, ending: ".")
    }
    if keys.isEmpty {
      candidates += scope.resource.columns.filter { column in
        !column.name.isEmpty && !column.name.contains(".") && !candidates.contains { $0.name == column.name }
      }.map { Candidate(name: $0.name, kind: .column, detail: $0.declaredType, ending: "=") }
    }
    return word.completions(of: candidates) { URLCoding.readableParameter($0.name) }
  }

  /// Completes what is after the `=` of a parameter.
  func values(
    in text: RequestText, name: Range<Int>, value: Range<Int>, at position: Int
  ) -> [Completion] {
    let parts = text.piece(name, plusIsSpace: true).text
      .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let parameters = parts.count == 1 ? RequestParameter.ofRoot : RequestParameter.ofNodes
    let piece = text.piece(value, plusIsSpace: true)
    guard let parameter = parameters.first(where: { $0.name == parts.last }) else {
      let draft = RequestDraft(text, model: model, limits: limits)
      guard let scope = scope(of: draft, node: parts.dropLast()) else { return [] }
      let declared = queryParameters(of: parts.dropLast(), scope, in: draft).first { $0.name == parts.last }
      return declared?.kind == .boolean ? words(["true", "false"], piece, at: position) : []
    }
    switch parameter.value {
    case .boolean: return words(["true", "false"], piece, at: position)
    case .words(let choices): return words(choices, piece, at: position)
    case .count, .pattern, .cursor: return []
    case .includes, .namedExpressions, .fields, .expression, .expressions, .sort: break
    }
    let number = text.parameters.firstIndex { $0.value.range == value && $0.name.range == name }
    var skipped = number
    // An `include` item may depend on another one in the same parameter.
    if case .includes = parameter.value { skipped = nil }
    let draft = RequestDraft(text, model: model, limits: limits, leavingOut: skipped)
    guard let scope = scope(of: draft, node: parts.dropLast()) else { return [] }
    return ExpressionCompleter(parameter: parameter, piece: piece, scope: scope, limits: limits)
      .completions(at: piece.position(of: position))
  }

  /// Returns the parameters of queries to which a node may give values: those of its resource, and for the root also those
  /// of the resource where the path starts.
  private func queryParameters(
    of node: some Collection<String>, _ scope: NameScope, in draft: RequestDraft
  ) -> [QueryParameter] {
    guard node.isEmpty, let path = draft.request?.path, let association = path.lastAssociation else {
      return scope.resource.parameters(below: scope.node?.association)
    }
    let own = scope.resource.parameters(below: association)
    let start = model.resources[path.resource]?.table.parameters ?? []
    return own + start.filter { parameter in !own.contains { $0.name == parameter.name } }
  }

  private func words(_ words: [String], _ piece: RequestText.Piece, at position: Int) -> [Completion] {
    let typed = String(piece.text.unicodeScalars.prefix(piece.position(of: position)))
    return TypedWord(text: typed, range: piece.range, next: nil)
      .completions(of: words.map { Candidate(name: $0, kind: .value) }) { $0.name }
  }
}

extension RequestNode {
  /// Whether the node is at most one record.
  package var isToOne: Bool { association?.cardinality == .toOne }
}
