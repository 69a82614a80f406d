import KindredModel
import KindredSQLSyntax
import KindredRequests

extension Model {
  /// The actions that the client may call, as the index and `/-/schema` list them; nil if there are none.
  ///
  /// They show what goes in and comes out, and not the SQL.
  var actionsJSON: JSONValue? {
    actions.isEmpty
      ? nil : .array(actions.values.map { $0.json(resource(shownBy: $0), shownColumns(of: $0)) })
  }

  /// Returns the resource whose records an action gives; nil if they are just rows, or the client may not read any.
  package func resource(shownBy action: Action) -> Resource? { action.resource.flatMap { resources[$0] } }

  /// Returns the columns of an action's rows that the client may see.
  package func shownColumns(of action: Action) -> [Column] {
    guard action.resource != nil else { return action.columns }
    let visible = self.resource(shownBy: action)?.columns ?? []
    return action.columns.compactMap { column in visible.first { $0.name.hasBytes(of: column.name) } }
  }
}

extension Action {
  fileprivate func json(_ resource: Resource?, _ columns: [Column]) -> JSONValue {
    [
      "name": .string(name), "parameters": .array(contentParameters.map(\.json)),
      "as": (resource?.name).map(JSONValue.string), "single": .bool(isSingle),
      "columns": .array(
        columns.map { ["name": .string($0.name), "type": .string($0.declaredType)] }),
    ]
  }
}

extension ActionParameter {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "type": .string(kind.rawValue), "required": .bool(isRequired),
      "default": defaultJSON ?? .null,
    ]
  }

  /// The default value as JSON; nil if there is none.
  package var defaultJSON: JSONValue? {
    defaultValue.map { value in
      if let kind = kind.ofQueries { return kind.json(value) }
      guard case .text(let text) = value else { return .null }
      return .text(Array(text.utf8))
    }
  }
}
