import KindredModel
import KindredPlanning
import KindredRequests

/// A request that is being typed: as much of it as can be parsed, and the errors of the rest.
package struct RequestDraft {
  package let text: RequestText
  package let model: Model
  package let limits: RequestLimits
  let diagnostics = Diagnostics()
  /// The path as far as it is valid.
  package private(set) var path: RequestPath?
  /// The action that the path names.
  private(set) var action: Action?
  /// The column that the path ends with.
  package private(set) var column: Column?
  /// The request without its invalid parts; nil if the path leads nowhere.
  package private(set) var request: FetchRequest?
  /// Errors of escapes, which have no position in decoded values.
  private(set) var encodingErrors: [(error: RequestError, place: Range<Int>)] = []

  /// The decoder of cursors, and the standing of the principal that they are bound to.
  package typealias Cursors = (coding: CursorCoding, standing: [UInt8])

  /// - Parameters:
  ///   - cursors: Nil to ignore cursors.
  ///   - skipped: The index of a parameter to omit.
  package init(
    _ text: RequestText, model: Model, limits: RequestLimits, cursors: Cursors? = nil,
    leavingOut skipped: Int? = nil
  ) {
    self.text = text
    self.model = model
    self.limits = limits
    let parameters = readParameters().filter { $0.number != skipped }
    var pathParser = PathParser(model: model, literals: Literals())
    let segments = text.segments.map { Substring($0.raw) }
    if segments.count == 1, let action = model.actions[text.segments[0].text] {
      take(action, parameters)
      return
    }
    let path = try? noting(diagnostics) { try pathParser.parse(segments, allowsColumn: true) }
    self.path = pathParser.path
    column = pathParser.column
    guard let path else { return }
    var parser = FetchRequestParser(model: model, limits: limits, diagnostics: diagnostics)
    parser.cursors = cursors?.coding
    parser.principal = cursors?.standing ?? []
    // A cursor is bound to the path as clients send it.
    let sent = segments.map { Substring(URLCoding.encodeUnsafe(String($0))) }
    let parsed = try? noting(diagnostics) {
      if let column {
        return try parser.parse(
          column, of: path, literals: pathParser.literals, parameters: QueryParameters(parameters))
      }
      return try parser.parse(
        path: path, literals: pathParser.literals, segments: sent,
        parameters: QueryParameters(parameters))
    }
    request = parsed?.fetchRequest
  }

  /// Reads the call of an action, whose parameters shape a record.
  private mutating func take(_ action: Action, _ parameters: [QueryParameters.Parameter]) {
    self.action = action
    let resource = model.resource(shownBy: action)
    path = RequestPath(resource: resource?.name ?? action.name)
    guard let resource else {
      for parameter in parameters {
        diagnostics.note(
          RequestError(
            .unknownParameter,
            "the address of `\(action.name)` has no parameters; leave out `\(parameter.name)`",
            at: parameter.origin))
      }
      return
    }
    let (shaping, others) = (
      parameters.filter { $0.shapesRecord }, parameters.filter { !$0.shapesRecord }
    )
    for parameter in others {
      diagnostics.note(
        RequestError(
          .invalidValue,
          "a call has only \(QueryParameters.Parameter.shapingNames.joined(separator: ", ")); leave out `\(parameter.name)`",
          at: parameter.origin))
    }
    var literals = Literals()
    let key = resource.table.primaryKey.map {
      RequestPath.KeyColumn(
        name: resource.table.columns[$0].name, literals: [literals.numberOfUnknown()])
    }
    var parser = FetchRequestParser(model: model, limits: limits, diagnostics: diagnostics)
    let parsed = try? noting(diagnostics) {
      try parser.parse(
        path: RequestPath(resource: resource.name, segments: [.record(key)]), literals: literals,
        parameters: QueryParameters(shaping))
    }
    request = parsed?.fetchRequest
  }

  /// Returns the resource of the node that these keys lead to.
  package func resource(ofNode keys: [String]) -> Resource? {
    var node = request?.root
    for key in keys { node = node?.children.first { $0.key == key } }
    guard let node else { return nil }
    return node.association.map { model.resources[$0.destination] } ?? request?.path.resource(in: model)
  }

  /// Checks the names in expressions, which the parser leaves to the planner.
  ///
  /// - Throws: An error when the time is over.
  package func check(_ dialect: Dialect, within time: AnalysisTime) throws {
    guard let request else { return }
    try Planner(model: model, dialect: dialect, limits: limits.planning, check: time.check)
      .check(request, diagnostics)
  }

  private mutating func readParameters() -> [QueryParameters.Parameter] {
    text.parameters.enumerated().compactMap { number, parameter in
      for piece in [parameter.name, parameter.value] {
        do {
          _ = try URLCoding.decode(piece.raw[...], plusIsSpace: true)
        } catch let error as RequestError {
          encodingErrors.append(
            (
              RequestError(error.code, error.message, at: Origin(parameter: parameter.name.text)),
              piece.range
            ))
          return nil
        } catch {
          return nil
        }
      }
      return QueryParameters.Parameter(
        name: parameter.name.text, value: parameter.value.text, number: number)
    }
  }
}

extension QueryParameters.Parameter {
  /// The parameters of the root that shape a record that is written.
  static let shapingNames = ["include", "join", "annotate", "fields"]

  /// Whether it shapes a record that is written, or is of a node below it.
  var shapesRecord: Bool { !node.isEmpty || Self.shapingNames.contains(kind) }
}
