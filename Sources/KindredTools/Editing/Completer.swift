import KindredModel
import KindredPlanning
import KindredRequests

/// Completes URLs (docs/tools.md).
///
/// It has no separate grammar: the parser of requests parses the text up to the position and reports what it expects
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

  /// Completes a segment of the path.
  func segments(in text: RequestText, at position: Int) -> [Completion] {
    let range = text.surroundings(of: position, in: text.path, separator: "/")
    let hasSlash = range.lowerBound > text.path.lowerBound
    let before = text.segments.prefix { $0.range.upperBound < range.lowerBound }
    // A page of Kindred itself.
    if before.first?.raw == "-" { return [] }
    let word = TypedWord(
      text: text.piece(range.lowerBound..<position, plusIsSpace: false).text, range: range,
      next: text.scalars.indices.contains(range.upperBound) ? text.scalars[range.upperBound] : nil)
    guard !before.isEmpty else {
      func resources(by name: (Resource) -> String) -> [Completion] {
        let names = Dictionary(
          model.resources.values.map { (name($0), $0.name) }, uniquingKeysWith: { first, _ in first })
        let candidates =
          model.resources.values.map { Candidate(name: name($0), kind: .resource) }
          + model.actions.keys.map { Candidate(name: $0, kind: .resource, detail: "action") }
        return word.completions(of: candidates) {
          (hasSlash ? "" : "/") + URLCoding.readableSegment(names[$0.name] ?? $0.name)
        }
      }
      let found = resources(by: \.name)
      // Otherwise complete by the name of the table: the table `item2` is the resource `items2`.
      return found.isEmpty ? resources(by: \.table.name) : found
    }
    var parser = PathParser(model: model, literals: Literals())
    guard let path = try? parser.parse(before.map { Substring($0.raw) }),
      let resource = path.resource(in: model)
    else { return [] }
    if path.isSingle {
      var candidates = resource.associations.values.map { Candidate($0, as: $0.key) }
      if range.upperBound == text.path.upperBound {
        candidates += resource.columns.filter { !$0.name.isEmpty }.map { Candidate($0) }
      }
      return word.completions(of: candidates) { URLCoding.readableSegment($0.name) }
    }
    return keyColumns(of: resource, in: text, range, at: position)
  }

  /// Completes the columns of a named key, such as `citizenId=1,countryCode=FR`.
  private func keyColumns(
    of resource: Resource, in text: RequestText, _ segment: Range<Int>, at position: Int
  ) -> [Completion] {
    let range = text.surroundings(of: position, in: segment, separator: ",")
    let sign = text.scalars[range].firstIndex(of: "=") ?? range.upperBound
    let others = text.split(segment, at: ",").filter { $0 != range }.map {
      text.piece($0, plusIsSpace: false).text
    }
    // All columns have names, or none has one.
    guard position <= sign, others.allSatisfy({ $0.contains("=") }) else { return [] }
    let given = others.map { String($0.prefix { $0 != "=" }) }
    let word = TypedWord(
      text: text.piece(range.lowerBound..<position, plusIsSpace: false).text, range: range.lowerBound..<sign,
      next: text.scalars.indices.contains(sign) ? text.scalars[sign] : nil)
    let keys = resource.table.uniqueKeys.map { $0.map { resource.table.columns[$0] } }
    // A key of which the client can't name every column names no record.
    let named = keys.filter { !$0.contains { resource.hidden.contains($0.name) } }.joined()
    let candidates = named.filter { !given.containsExactly($0.name) }.map { Candidate($0, ending: "=") }
    return word.completions(of: candidates) { URLCoding.readableSegment($0.name, isKey: true) }
  }

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
    let isCall = draft.action != nil && keys.isEmpty
    var candidates = (isCall ? [] : queryParameters(of: keys, scope, in: draft)).map {
      Candidate(
        name: $0.name, kind: .parameter, detail: $0.kind.rawValue + ($0.isRequired ? ", required" : ""),
        ending: "=")
    }
    let isBare = !keys.isEmpty && scope.node?.values != nil
    candidates += (keys.isEmpty ? RequestParameter.ofRoot : RequestParameter.ofNodes).filter {
      if isCall { return QueryParameters.Parameter.shapingNames.contains($0.name) }
      // Bare values have no members.
      if isBare, ["fields", "annotate"].contains($0.name) { return false }
      return switch $0.value {
      case .cursor: false
      case .pattern: scope.resource.table.fullText != nil
      case .includes, .namedExpressions, .fields, .expression, .expressions, .sort, .boolean, .count, .words:
        !(isOne && $0.isOfMany)
      }
    }.map { Candidate(name: $0.name, kind: .parameter, detail: $0.summary, ending: "=") }
    candidates += (scope.node?.children ?? []).map {
      Candidate(name: $0.key, kind: .node, detail: $0.association?.destination, ending: ".")
    }
    if keys.isEmpty, !isCall {
      candidates += scope.resource.columns.filter { column in
        !column.name.isEmpty && !column.name.contains(".") && !candidates.contains { $0.name == column.name }
      }.map { Candidate($0, ending: "=") }
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

/// Completes the URLs of requests, for shells.
public struct URLCompletion {
  private let completer: Completer

  /// Creates a completion with the names of a model.
  public init(model: Model, limits: RequestLimits = RequestLimits()) {
    completer = Completer(model: model, limits: limits)
  }

  /// Returns at most a hundred URLs that complete the typed text by one word.
  public func completions(of url: String) -> [String] {
    let scalars = Array(url.unicodeScalars)
    return completer.completions(of: url, at: scalars.count).map { item in
      String(String.UnicodeScalarView(scalars[..<item.range.lowerBound])) + item.text
    }
  }
}
