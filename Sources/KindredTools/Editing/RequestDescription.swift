import KindredModel
import KindredPlanning
import KindredRequests

/// Describes the parts of a URL and all its errors (docs/tools.md).
package struct RequestDescription {
  /// A word or other meaningful part of the URL.
  struct Part {
    enum Kind: String {
      case page, resource, key, association, column, parameter, node, value, name, aggregate, function,
        keyword
      case `operator`, text, number, unknown
    }

    let kind: Kind
    let range: Range<Int>
  }

  private let draft: RequestDraft
  private var text: RequestText { draft.text }

  /// - Throws: An error when the time is over.
  package init(
    _ url: String, in model: Model, _ dialect: Dialect, limits: RequestLimits,
    cursors: RequestDraft.Cursors, within time: AnalysisTime
  ) throws {
    var limits = limits
    // The default page size isn't part of the URL.
    limits.pageSize = nil
    draft = RequestDraft(RequestText(url), model: model, limits: limits, cursors: cursors)
    if !isPage { try draft.check(dialect, within: time) }
  }

  /// Whether the URL is the index or another page of Kindred itself.
  private var isPage: Bool { text.segments.isEmpty || text.segments[0].raw == "-" }

  /// The page that the URL names, if it is one below `/-/`.
  private var page: OperationsPage? {
    OperationsPage(rawValue: text.segments.dropFirst().map(\.raw).joined(separator: "/"))
  }

  private var isKnownPage: Bool { text.segments.isEmpty || page != nil }

  /// The names of the parameters of the page; nil if it ignores parameters.
  private var pageParameters: [String]? { text.segments.isEmpty ? [] : page?.parameters }

  package var json: JSONValue {
    let errors = errors
    return [
      "parts": .array(parts.map(json)), "tree": tree,
      "url": errors.isEmpty ? url.map(JSONValue.string) ?? .null : .null,
      "errors": .array(errors.map { error, place in Problem(error).document(at: place) }),
    ]
  }

  /// The request in canonical form, with all necessary escapes; nil if it isn't a request for records.
  private var url: String? {
    guard !isPage, draft.column == nil, draft.action == nil, let request = draft.request,
      let url = try? FetchRequestRenderer.url(of: request, in: draft.model)
    else { return nil }
    // Parameters of the response that aren't part of the `FetchRequest`.
    let others = text.parameters.filter { ["after", "before", "format", "explain"].contains($0.name.text) }
      .map { "\($0.name.text)=\(URLCoding.encodeQueryValue($0.value.text))" }
    guard !others.isEmpty else { return url }
    return url + (url.contains("?") ? "&" : "?") + others.joined(separator: "&")
  }

  private func json(_ part: Part) -> JSONValue {
    [
      "kind": .string(part.kind.rawValue), "from": .integer(Int64(part.range.lowerBound)),
      "to": .integer(Int64(part.range.upperBound)),
    ]
  }

  // MARK: Parts

  /// The parts in order, without separators.
  private var parts: [Part] {
    var parts: [Part] = []
    if text.path.lowerBound > 0 { parts.append(Part(kind: .page, range: 0..<text.path.lowerBound)) }
    if isPage {
      if !text.path.isEmpty { parts.append(Part(kind: isKnownPage ? .page : .unknown, range: text.path)) }
    } else {
      for (number, segment) in text.segments.enumerated() { parts += self.parts(of: segment, number) }
    }
    for (number, parameter) in text.parameters.enumerated() {
      guard isPage else {
        parts += self.parts(ofName: parameter.name) + self.parts(of: parameter, number)
        continue
      }
      let isKnown = pageParameters?.contains(parameter.name.text) ?? false
      parts.append(Part(kind: isKnown ? .parameter : .unknown, range: parameter.name.range))
      parts.append(Part(kind: .value, range: parameter.value.range))
    }
    let end = text.query?.upperBound ?? text.path.upperBound
    if end < text.scalars.count { parts.append(Part(kind: .unknown, range: end..<text.scalars.count)) }
    return parts.filter { !$0.range.isEmpty }
  }

  private func parts(of segment: RequestText.Piece, _ number: Int) -> [Part] {
    guard let path = draft.path, number <= path.segments.count else {
      return [Part(kind: draft.column == nil ? .unknown : .column, range: segment.range)]
    }
    guard number > 0 else { return [Part(kind: .resource, range: segment.range)] }
    switch path.segments[number - 1] {
    case .association: return [Part(kind: .association, range: segment.range)]
    case .record:
      return text.split(segment.range, at: ",").flatMap { pair -> [Part] in
        guard let sign = text.scalars[pair].firstIndex(of: "=") else {
          return [Part(kind: .key, range: pair)]
        }
        return [
          Part(kind: .column, range: pair.lowerBound..<sign),
          Part(kind: .key, range: (sign + 1)..<pair.upperBound),
        ]
      }
    }
  }

  private func parts(ofName name: RequestText.Piece) -> [Part] {
    var names = text.split(name.range, at: ".")
    let last = names.removeLast()
    let known = names.isEmpty ? RequestParameter.ofRoot : RequestParameter.ofNodes
    let name = text.piece(last, plusIsSpace: true).text
    let keys = names.map { text.piece($0, plusIsSpace: true).text }
    let isKnown =
      known.contains { $0.name == name }
      || draft.resource(ofNode: keys)?.table.query?.parameter(named: name) != nil
    return names.map { Part(kind: .node, range: $0) }
      + [Part(kind: isKnown ? .parameter : names.isEmpty ? .column : .unknown, range: last)]
  }

  private func parts(of parameter: RequestText.Parameter, _ number: Int) -> [Part] {
    let name = parameter.name.text.split(separator: ".", omittingEmptySubsequences: false).last
    let whole = parameter.value.range
    switch RequestParameter.all.first(where: { $0.name == name ?? "" })?.value {
    case nil, .cursor, .boolean, .words: return [Part(kind: .value, range: whole)]
    case .pattern: return [Part(kind: .text, range: whole)]
    case .count: return [Part(kind: .number, range: whole)]
    case .includes, .namedExpressions, .fields, .expression, .expressions, .sort:
      return words(of: parameter, number)
    }
  }

  private func words(of parameter: RequestText.Parameter, _ number: Int) -> [Part] {
    let piece = parameter.value
    let (tokens, error) = Lexer.prefix(of: piece.text)
    var parts: [Part] = []
    for (index, token) in tokens.enumerated() {
      let next = tokens.indices.contains(index + 1) ? tokens[index + 1].kind : .end
      let origin = Origin(parameter: parameter.name.text, position: token.position, number: number)
      guard let kind = kind(of: token, before: next, meaning: draft.diagnostics.meanings[origin]) else {
        continue
      }
      parts.append(Part(kind: kind, range: piece.place(from: token.position, to: token.end)))
    }
    if error != nil {
      parts.append(Part(kind: .unknown, range: piece.place(from: tokens.last?.end ?? 0, to: piece.count)))
    }
    return parts
  }

  /// Returns the kind of a token, or nil for a separator.
  private func kind(of token: Token, before next: Token.Kind, meaning: Diagnostics.Meaning?) -> Part.Kind? {
    switch token.kind {
    case .text, .blob: return .text
    case .integer, .real, .integerMagnitude: return .number
    case .sign(.leftParenthesis), .sign(.rightParenthesis), .sign(.comma), .sign(.dot), .sign(.colon), .end:
      return nil
    case .sign: return .operator
    case .name(let name, let isQuoted):
      switch meaning {
      case .column: return .column
      case .association: return .association
      case .aggregate: return .aggregate
      case .function: return .function
      case .name: return .name
      case nil: break
      }
      if next == .sign(.colon) { return .name }
      if isQuoted { return .unknown }
      if next == .sign(.leftParenthesis), name == "filter" { return .function }
      return Keywords.isWord(name) ? .keyword : .unknown
    }
  }

  // MARK: Tree

  private var tree: JSONValue {
    guard let request = draft.request, let resource = request.path.resource(in: draft.model) else {
      return .null
    }
    return ["resource": .string(resource.name), "isSingle": .bool(request.path.isSingle)]
      + items(of: request.root)
      + ["nodes": .array(request.root.children.map { json($0, below: []) })]
  }

  /// What a node selects, each item as it would be written in `fields` and `annotate`.
  private func items(of node: RequestNode) -> JSONValue {
    let expressions = ExpressionRenderer(literals: draft.request?.literals.values ?? [])
    return [
      "fields": node.fields.map { .array($0.map { json(try? expressions.text(of: $0)) }) } ?? .null,
      "annotations": .array(node.annotations.map { json(try? expressions.text(of: $0)) }),
    ]
  }

  private func json(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  private func json(_ node: RequestNode, below path: [String]) -> JSONValue {
    let path = path + [node.key]
    let association: JSONValue = [
      "key": .string(node.key), "path": .string(path.joined(separator: ".")),
      "association": .string(node.association?.key ?? node.key),
      "kind": .string(node.association?.kind ?? ""),
      "destination": .string(node.association?.destination ?? ""), "isIncluded": .bool(node.isIncluded),
      "isRequired": .bool(node.isRequired),
    ]
    return association + items(of: node) + ["nodes": .array(node.children.map { json($0, below: path) })]
  }

  // MARK: Errors

  /// The errors in the order of their positions.
  private var errors: [(error: RequestError, place: Range<Int>)] {
    if isPage {
      guard !isKnownPage else { return pageErrors }
      let target = text.segments.map(\.raw).joined(separator: "/")
      return [(RequestError(.notFound, "there is no resource at /\(target)"), text.path)]
    }
    // The tokens of each value, so that a value with several errors is read only once.
    var tokens: [Int: [Token]] = [:]
    let errors = draft.encodingErrors + draft.diagnostics.errors.map { ($0, place(of: $0, &tokens)) }
    return errors.enumerated().sorted {
      ($0.element.place.lowerBound, $0.offset) < ($1.element.place.lowerBound, $1.offset)
    }.map(\.element)
  }

  /// The errors of the parameters of a page.
  private var pageErrors: [(error: RequestError, place: Range<Int>)] {
    guard let names = pageParameters else { return [] }
    var parameters = ToolParameters()
    return text.parameters.compactMap { parameter -> (error: RequestError, place: Range<Int>)? in
      do throws(RequestError) {
        try parameters.add(
          name: parameter.name.text, value: parameter.value.text, among: names,
          at: Origin(parameter: parameter.name.text))
        return nil
      } catch {
        return (error, parameter.name.range)
      }
    }
  }

  /// Returns the range that a problem is about, in Unicode scalars of the URL, or nil if there is none.
  package func place(of problem: Problem) -> Range<Int>? {
    errors.first { $0.error.message == problem.detail }?.place
  }

  /// Returns the range of the word that an error is about.
  private func place(of error: RequestError, _ tokens: inout [Int: [Token]]) -> Range<Int> {
    guard let origin = error.origin else { return text.path }
    guard let name = origin.parameter else {
      guard let number = origin.number, text.segments.indices.contains(number) else { return text.path }
      let segment = text.segments[number]
      guard error.code == .invalidKey, !error.suggestions.isEmpty else { return segment.range }
      let start = segment.range.lowerBound + origin.position
      return
        start..<(text.scalars[start..<segment.range.upperBound].firstIndex(of: "=")
        ?? segment.range.upperBound)
    }
    let number = origin.number ?? text.parameters.firstIndex { $0.name.text == name }
    guard let number, text.parameters.indices.contains(number) else { return text.path }
    let parameter = text.parameters[number]
    if error.code == .unknownParameter || error.code == .unknownNode || parameter.value.range.isEmpty {
      return parameter.name.range
    }
    let read = tokens[number] ?? Lexer.prefix(of: parameter.value.text).tokens
    tokens[number] = read
    return parameter.value.place(of: origin.position, among: read)
  }
}

extension RequestText.Piece {
  /// Returns the range of the token that begins at a position; if none does, the rest of the value.
  fileprivate func place(of position: Int, among tokens: [Token]) -> Range<Int> {
    guard let token = tokens.first(where: { $0.position == position }) else {
      return position == 0 ? range : place(from: position, to: count)
    }
    return place(from: token.position, to: token.end)
  }
}

extension Problem {
  /// Returns the document of an error with its range in a URL.
  fileprivate func document(at place: Range<Int>) -> JSONValue {
    document + ["from": .integer(Int64(place.lowerBound)), "to": .integer(Int64(place.upperBound))]
  }
}
