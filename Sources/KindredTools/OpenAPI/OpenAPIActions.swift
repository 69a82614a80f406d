import KindredModel
import KindredHTTP
import KindredRequests

/// The calls of actions (docs/model.md#actions) as the OpenAPI document describes them.
struct OpenAPIActions {
  let model: Model

  /// The paths of the actions.
  var paths: [(String, JSONValue)] {
    model.actions.values.map { ("/\(URLCoding.encodeSegment($0.name))", ["post": operation($0)]) }
  }

  /// The schemas of what the actions take and give.
  var schemas: JSONValue {
    .object(
      model.actions.values.flatMap { action in
        [("\(action.name).arguments", arguments(of: action))]
          + (action.returning == nil ? [] : [("\(action.name).row", row(of: action))])
      })
  }

  private func operation(_ action: Action) -> JSONValue {
    let isShaped = model.resource(shownBy: action) != nil
    let hasRequired = action.contentParameters.contains(where: \.isRequired)
    return [
      "operationId": .string("actions.\(action.name)"), "tags": ["actions"],
      "summary": .string("Calls the action \(action.name)."),
      "parameters": .array(
        (isShaped ? OpenAPIParameters.shaping(of: nil) : [])
          + OpenAPIParameters.fields(of: .post, isSingle: false)),
      "requestBody": [
        "required": .bool(hasRequired),
        "content": [MediaType.json.rawValue: ["schema": OpenAPISchema.schema("\(action.name).arguments")]],
      ],
      "responses": done(action) + OpenAPIWrites.problems,
    ]
  }

  private func done(_ action: Action) -> JSONValue {
    let nothing: JSONValue = ["204": ["description": "Done, without content."]]
    guard action.returning != nil else { return nothing }
    let row = OpenAPISchema.schema("\(action.name).row")
    let schema: JSONValue = action.isSingle ? row : ["type": "array", "items": row]
    return [
      "200": [
        "description": action.isSingle ? "The row." : "The rows.",
        "content": [MediaType.json.rawValue: ["schema": schema]],
      ]
    ] + nothing
  }

  private func arguments(of action: Action) -> JSONValue {
    let required = action.contentParameters.filter(\.isRequired).map(\.name)
    return [
      "type": "object",
      "properties": .object(action.contentParameters.map { ($0.name, $0.schema) }),
      "required": required.isEmpty ? nil : JSONValue(strings: required), "additionalProperties": false,
    ]
  }

  /// Returns the schema of a row: its columns first, and for records the associations that a call may include.
  private func row(of action: Action) -> JSONValue {
    var members = model.shownColumns(of: action).map { ($0.name, OpenAPISchema.ofColumn($0)) }
    let associations = model.resource(shownBy: action).map { Array($0.associations.values) } ?? []
    for association in associations where !members.contains(where: { $0.0 == association.key }) {
      let isToMany = association.cardinality == .toMany
      let reference = OpenAPISchema.reference(association.destination, isOptional: !isToMany)
      members.append((association.key, isToMany ? ["type": "array", "items": reference] : reference))
    }
    // The only record may be out of sight, or there may be none.
    let type: JSONValue = action.isSingle && action.resource != nil ? ["object", "null"] : "object"
    return ["type": type, "properties": .object(members)]
  }
}

extension ActionParameter {
  /// The schema of its values, which may be null.
  fileprivate var schema: JSONValue {
    let values: JSONValue =
      switch kind {
      case .text: ["type": ["string", "null"]]
      case .integer: OpenAPISchema.ofInteger + ["type": ["integer", "null"]]
      case .real: ["type": ["number", "null"]]
      case .boolean: ["type": ["boolean", "null"]]
      case .json: [:]
      }
    return values + ["default": defaultJSON]
  }
}
