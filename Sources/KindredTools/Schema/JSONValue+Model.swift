import KindredModel
import KindredRequests
import KindredSQLSyntax

extension Resource {
  /// The parameters; nil if the resource has none.
  var parametersJSON: JSONValue? {
    table.parameters.isEmpty ? nil : .array(table.parameters.map(JSONValue.init))
  }
}

extension JSONValue {
  fileprivate init(_ parameter: QueryParameter) {
    self = [
      "name": .string(parameter.name), "type": .string(parameter.kind.rawValue),
      "required": .bool(parameter.isRequired),
      "default": parameter.defaultValue.map(parameter.kind.json) ?? .null,
    ]
  }
}

extension QueryParameter.Kind {
  /// Returns a value of a parameter of this type as JSON.
  func json(_ value: SQLValue) -> JSONValue {
    switch value {
    case .integer(let number): self == .boolean ? .bool(number != 0) : .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .string(text)
    case .null, .blob: .null
    }
  }
}
