import KindredModel

extension ModelFile {
  /// A foreign key that the schema doesn't declare.
  struct ForeignKeyEntry: Sendable {
    var columns: [Located<String>]
    /// The name of the resource that it refers to.
    var destination: Located<String>
    /// The columns that it refers to; nil for the primary key.
    var destinationColumns: [Located<String>]?
    /// The number of the line where it begins.
    var line: Int
  }
}

extension ModelFileParser {
  static let foreignKeyForm = "write `{ authorId: authors }`, or `{ countryCode: { countries: code } }`"
  private static let compositeForm =
    "for several columns write `- { columns: [a, b], references: others, to: [x, y] }` in a list"

  /// Parses foreign keys: a mapping of columns to resources, or a list of such mappings and of composite ones.
  func foreignKeys(_ node: ModelFileNode) throws -> [ModelFile.ForeignKeyEntry] {
    guard node.isSequence || node.isMapping else {
      throw node.error("`foreignKeys` must be a mapping or a list; \(Self.foreignKeyForm)")
    }
    return try node.elements.flatMap { element in
      guard element.isMapping else {
        throw element.error(
          "`foreignKeys` name the resource that each column refers to, unlike an association's `foreignKey`; "
            + Self.foreignKeyForm)
      }
      let entries = try element.entries(Self.foreignKeyForm)
      if entries.contains(where: { $0.key.value == "columns" && $0.value.isSequence }) {
        guard node.isSequence else {
          throw element.error("`foreignKeys` is a mapping; \(Self.compositeForm)")
        }
        return [try composite(entries, at: element)]
      }
      return try entries.map(foreignKey)
    }
  }

  /// Parses `authorId: authors` or `countryCode: { countries: code }`.
  private func foreignKey(
    _ column: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.ForeignKeyEntry {
    guard node.isMapping else {
      let resource = try node.text("name the resource that it refers to: \(Self.foreignKeyForm)")
      return ModelFile.ForeignKeyEntry(columns: [column], destination: resource, line: column.line)
    }
    let entries = try node.entries(Self.foreignKeyForm)
    guard entries.count == 1, let (resource, referred) = entries.first else {
      throw node.error("`\(column.value)` refers to one column of one resource; \(Self.foreignKeyForm)")
    }
    return ModelFile.ForeignKeyEntry(
      columns: [column], destination: resource, destinationColumns: [try referred.text(Self.foreignKeyForm)],
      line: column.line)
  }

  private func composite(
    _ entries: [(key: ModelFile.Located<String>, value: ModelFileNode)], at node: ModelFileNode
  ) throws -> ModelFile.ForeignKeyEntry {
    var columns: [ModelFile.Located<String>] = []
    var destination: ModelFile.Located<String>?
    var referred: [ModelFile.Located<String>]?
    for (member, value) in entries {
      switch member.value {
      case "columns": columns = try value.texts("list the columns of the table: `[a, b]`")
      case "references": destination = try value.text("name the resource that they refer to")
      case "to": referred = try value.texts("list the columns of that resource: `[x, y]`")
      default:
        throw node.file.unknown(
          member, "a foreign key of several columns has no `\(member.value)`",
          among: ["columns", "references", "to"])
      }
    }
    guard !columns.isEmpty else { throw node.error("a foreign key needs at least one column") }
    guard let destination else {
      throw node.error("a foreign key refers to a resource; \(Self.compositeForm)")
    }
    return ModelFile.ForeignKeyEntry(
      columns: columns, destination: destination, destinationColumns: referred, line: node.line)
  }
}
