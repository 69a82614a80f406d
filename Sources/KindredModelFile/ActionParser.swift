import KindredModel
import KindredSQLSyntax

/// The form of an action in the model file.
struct ActionParser {
  private static let parameterForm =
    "write one as `quantity: integer`, `quantity: { type: integer, default: 1 }` or `by: { from: auth.sub }`"

  /// Parses an action: its parameters, its SQL, what its rows are, and whom it is for.
  func action(
    _ name: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.ActionEntry {
    guard QueryParameter.isName(name.value) else {
      throw node.file.error(
        name.line, "`\(name.value)` can't be the name of an action; use ASCII letters, digits and `_`")
    }
    var entry = ModelFile.ActionEntry(name: name, sql: ModelFile.Located("", line: name.line))
    for (member, value) in try node.entries("write `sql: INSERT …`") {
      switch member.value {
      case "sql": entry.sql = try value.text("write statements, with `;` between them")
      case "parameters":
        entry.parameters = try value.entries(Self.parameterForm).map(parameter)
      case "as": entry.resource = try value.text("write the name of a resource")
      case "single":
        switch try value.text("write `true`").value {
        case "true": entry.isSingle = true
        case "false": entry.isSingle = false
        default: throw value.error("`single` must be true or false")
        }
      case "access":
        entry.access = try value.elements.map(roles)
        if entry.access?.dropLast().contains(where: { $0 == nil }) ?? false {
          throw value.error("`access` has an entry after one for everybody, which never applies; remove it")
        }
      default:
        throw node.file.unknown(
          member, "an action has no `\(member.value)`",
          among: ["parameters", "sql", "as", "single", "access"])
      }
    }
    guard !entry.sql.value.isEmpty else {
      throw node.file.error(name.line, "`\(name.value)` has no `sql`; write one or more statements")
    }
    return entry
  }

  /// Returns the roles of an entry of an action's access; nil for everybody.
  private func roles(_ node: ModelFileNode) throws -> NameSet? {
    var roles: NameSet?
    for (member, value) in try node.entries("write it as `{ roles: [shop] }`, or `{}` for everybody") {
      guard member.value == "roles" else {
        throw node.file.unknown(
          member, "`access` of an action has no `\(member.value)`: its SQL says which records it changes",
          among: ["roles"])
      }
      let names = value.isSequence ? try value.texts("write `[shop]`") : [try value.text("write `[shop]`")]
      roles = NameSet(names.map(\.value))
    }
    return roles
  }

  private func parameter(
    _ name: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.Located<ActionParameter> {
    guard QueryParameter.isName(name.value) else {
      throw node.file.error(
        name.line, "`\(name.value)` can't be the name of a parameter; use ASCII letters, digits and `_`")
    }
    guard node.isMapping else {
      return ModelFile.Located(
        ActionParameter(name: name.value, kind: try node.parameterType(Self.parameterForm), isRequired: true),
        line: name.line)
    }
    var (kind, value, claim, isRequired): (ActionParameter.Kind?, ModelFileNode?, String?, Bool?)
    for (member, node) in try node.entries(Self.parameterForm) {
      switch member.value {
      case "type": kind = try node.parameterType(Self.parameterForm)
      case "default": value = node
      case "from": claim = try self.claim(node)
      case "required":
        switch try node.text("write `true`").value {
        case "true": isRequired = true
        case "false": isRequired = false
        default: throw node.error("`required` must be true or false")
        }
      default:
        throw node.file.unknown(
          member, "a parameter has no `\(member.value)`", among: ["type", "default", "from", "required"])
      }
    }
    if let claim {
      guard value == nil else {
        throw node.file.error(
          name.line, "`\(name.value)` is a claim, so it has no `default`; remove one of them")
      }
      return ModelFile.Located(
        ActionParameter(name: name.value, kind: kind ?? .text, claim: claim, isRequired: isRequired ?? false),
        line: name.line)
    }
    guard let kind else {
      throw node.file.error(name.line, "`\(name.value)` has no `type`; \(Self.parameterForm)")
    }
    guard isRequired == nil else {
      throw node.file.error(
        name.line, "`required` is of a claim; a parameter without `default` is required anyway")
    }
    let defaultValue = try value.map { try self.value($0, of: kind, named: name.value) }
    return ModelFile.Located(
      ActionParameter(
        name: name.value, kind: kind, defaultValue: defaultValue, isRequired: defaultValue == nil),
      line: name.line)
  }

  private func value(
    _ node: ModelFileNode, of kind: ActionParameter.Kind, named name: String
  ) throws -> SQLValue {
    let text = try node.parameterText(Self.parameterForm)
    if let kind = kind.ofQueries {
      return try kind.value(of: text, named: name, in: node.file, line: node.line)
    }
    guard case .text(let json) = text else { return .null }
    guard JSONText(json) != nil else { throw node.error("the default of `\(name)` is no JSON") }
    return .text(json)
  }

  private func claim(_ node: ModelFileNode) throws -> String {
    let text = try node.text("write a claim, such as `auth.sub`")
    guard text.value.hasPrefix("auth."), text.value.utf8.count > 5 else {
      throw node.error("`from` must be a claim, such as `auth.sub`")
    }
    return String(text.value.dropFirst(5))
  }
}
