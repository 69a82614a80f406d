import KindredModel
import KindredSQLSyntax

extension ModelFileParser {
  static let parameterForm = "write one as `since: text` or `since: { type: text, default: null }`"

  /// Parses a parameter of a common table expression: its type, or a mapping with its type and its default value.
  func parameter(
    _ name: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.Located<QueryParameter> {
    guard QueryParameter.isName(name.value) else {
      throw node.file.error(
        name.line, "`\(name.value)` can't be the name of a parameter; use ASCII letters, digits and `_`")
    }
    guard RequestParameterName(rawValue: name.value) == nil else {
      throw node.file.error(
        name.line, "`\(name.value)` is a parameter of every request; choose another name for this one")
    }
    guard node.isMapping else {
      return try parameter(name, node.parameterType(Self.parameterForm), defaultValue: nil, line: name.line)
    }
    var (type, value): (QueryParameter.Kind?, ModelFileNode?)
    for (member, node) in try node.entries(Self.parameterForm) {
      switch member.value {
      case "type": type = try node.parameterType(Self.parameterForm)
      case "default": value = node
      default:
        throw node.file.unknown(member, "a parameter has no `\(member.value)`", among: ["type", "default"])
      }
    }
    guard let type else {
      throw node.file.error(name.line, "`\(name.value)` has no `type`; \(Self.parameterForm)")
    }
    let defaultValue = try value.map {
      try type.value(of: $0.parameterText(Self.parameterForm), named: name.value, in: $0.file, line: $0.line)
    }
    return parameter(name, type, defaultValue: defaultValue, line: name.line)
  }

  private func parameter(
    _ name: ModelFile.Located<String>, _ kind: QueryParameter.Kind, defaultValue: SQLValue?, line: Int
  ) -> ModelFile.Located<QueryParameter> {
    ModelFile.Located(
      QueryParameter(name: name.value, kind: kind, defaultValue: defaultValue), line: line)
  }
}

extension QueryParameter.Kind {
  /// Returns the value that a text of the file stands for.
  ///
  /// - Throws: `ModelFileError` for a text of another form.
  func value(
    of text: ModelFile.ParameterText, named name: String, in file: ModelFile, line: Int
  ) throws -> SQLValue {
    switch text {
    case .null: return .null
    case .text(let text):
      if let value = value(of: text) { return value }
      throw file.error(line, "`\(text)` is no value of `\(name)` (\(rawValue)), which must be \(form)")
    }
  }
}
