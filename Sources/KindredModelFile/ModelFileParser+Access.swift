import KindredModel

extension ModelFileParser {
  /// Parses `access`: each verb, or `write` for three of them, has an entry or a list of entries.
  func access(_ node: ModelFileNode) throws -> ModelFile.Located<[ModelFile.AccessDefinition]> {
    let mend = "write it as `read: { roles: [reader] }`"
    var definitions: [ModelFile.AccessDefinition] = []
    var named: [ResourceAccess.Verb: Int] = [:]
    for (name, value) in try node.entries(mend) {
      let verbs: [ResourceAccess.Verb]
      if name.value == Self.writing {
        verbs = [.create, .update, .delete]
      } else if let verb = ResourceAccess.Verb(rawValue: name.value) {
        verbs = [verb]
      } else if Self.configured.contains(name.value) {
        throw node.file.error(
          name.line,
          "`\(name.value)` belongs to `access` of the configuration file, which says who clients are; `access` of the model file says what their roles may do: move it there"
        )
      } else {
        throw node.file.unknown(
          name, "access has no `\(name.value)`",
          among: ResourceAccess.Verb.allCases.map(\.rawValue) + [Self.writing])
      }
      for verb in verbs {
        if let line = named[verb] {
          throw node.file.error(
            name.line,
            "`\(verb.rawValue)` is already given in line \(line); `\(Self.writing)` covers all three")
        }
        named[verb] = name.line
      }
      definitions += try entries(value, verbs)
    }
    return ModelFile.Located(definitions, line: node.line)
  }

  /// The member that stands for `create`, `update` and `delete`.
  private static let writing = "write"
  /// The members of `access` in the configuration file.
  private static let configured = ["jwt", "keys", "anonymous", "operations"]

  /// Parses the entries of a verb, of which the first one for a client applies.
  private func entries(
    _ node: ModelFileNode, _ verbs: [ResourceAccess.Verb]
  ) throws -> [ModelFile.AccessDefinition] {
    var entries: [ModelFile.AccessDefinition] = []
    for element in node.elements {
      if let last = entries.last, last.roles == nil {
        throw element.error(
          "no client gets to this entry of \(node.name), because the one before it has no `roles` and so is for everybody; give that one `roles`, or put it last"
        )
      }
      entries.append(try entry(element, verbs))
    }
    return entries
  }

  private func entry(
    _ node: ModelFileNode, _ verbs: [ResourceAccess.Verb]
  ) throws -> ModelFile.AccessDefinition {
    var entry = ModelFile.AccessDefinition(verbs: verbs)
    if node.isNull {
      throw node.error("\(node.name) is empty; write `{}` for everybody, or leave it out for nobody")
    }
    for (member, value) in try node.entries("write it as `{ roles: [reader], rows: id = auth.sub }`") {
      switch member.value {
      case "roles":
        entry.roles =
          value.isSequence ? try value.texts("write `[reader]`") : [try value.text("write `[reader]`")]
      case "rows": entry.rows = try expression(value)
      case "fields": entry.fields = try value.texts("write the columns as `[id, name]`")
      case "set": entry.presets = try presets(value, verbs, at: member.line)
      default:
        throw node.file.unknown(
          member, "an entry of access has no `\(member.value)`", among: ["roles", "rows", "fields", "set"])
      }
    }
    return entry
  }

  /// Parses `set`: the columns that the server sets, by expressions.
  private func presets(
    _ node: ModelFileNode, _ verbs: [ResourceAccess.Verb], at line: Int
  ) throws -> [(column: ModelFile.Located<String>, expression: ModelFile.Located<Expression>)] {
    guard verbs.count == 1 else {
      throw node.file.error(
        line, "`\(Self.writing)` has no `set`; give `create`, `update` or `delete` an entry with `set`")
    }
    guard verbs != [.read] else {
      throw node.file.error(line, "`read` has no `set`, as reading changes nothing; remove `set`")
    }
    return try node.entries("write `set` as `{ ownerId: auth.sub }`").map { ($0.0, try expression($0.1)) }
  }
}
