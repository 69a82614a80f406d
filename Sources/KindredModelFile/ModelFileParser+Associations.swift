import KindredModel

extension ModelFileParser {
  /// The members of an association, before their combination is checked.
  private struct Members {
    var kind: (kind: ModelFile.AssociationDefinition.Kind, destination: ModelFile.Located<String>)?
    var from: ModelFile.Located<String>?
    var foreignKey: ModelFile.Located<ModelFile.AssociationDefinition.ForeignKeyColumns>?
    var through: ModelFile.Located<String>?
    var using: ModelFile.Located<String>?
    var filter: ModelFile.Located<Expression>?
    var sort: ModelFile.Located<[SortTerm]>?
    var parameters: [(name: ModelFile.Located<String>, value: ModelFile.ParameterText)] = []
  }

  private static let kinds: KeyValuePairs<String, ModelFile.AssociationDefinition.Kind> = [
    "belongsTo": .belongsTo, "hasMany": .hasMany, "hasOne": .hasOne,
  ]

  func association(
    _ key: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.AssociationEntry {
    var entry = ModelFile.AssociationEntry(key: key)
    if node.isNull { return entry }
    var members = Members()
    let entries = try node.entries("write `\(key.value): null` to remove the association")
    for (member, value) in entries {
      switch member.value {
      case "from": members.from = try value.text("name an association of the resource")
      case "foreignKey": members.foreignKey = try foreignKey(value)
      case "through": members.through = try value.text("name an association of the resource")
      case "using": members.using = try value.text("name an association of the intermediate resource")
      case "filter": members.filter = try expression(value)
      case "sort": members.sort = try sort(value)
      case "parameters":
        let form = "write them as `{ since: '2026-01-01' }`"
        members.parameters = try value.entries(form).map { ($0.key, try $0.value.parameterText(form)) }
      case let name:
        guard let kind = Self.kinds.first(where: { $0.key == name })?.value else {
          throw node.file.unknown(
            member, "an association has no `\(name)`",
            among: Self.kinds.map(\.key) + [
              "from", "foreignKey", "through", "using", "filter", "sort", "parameters",
            ])
        }
        guard members.kind == nil else {
          throw node.file.error(member.line, "`\(key.value)` has two kinds; keep one of them")
        }
        members.kind = (kind, try value.text("name a resource"))
      }
    }
    entry.definition = ModelFile.AssociationDefinition(
      way: try way(of: members, key, node), filter: members.filter, sort: members.sort,
      parameters: members.parameters)
    return entry
  }

  /// Returns the kind of association that the members describe.
  ///
  /// - Throws: `ModelFileError` for members that don't go together.
  private func way(
    of members: Members, _ key: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.AssociationDefinition.Way {
    func refuse(_ line: Int, _ message: String) -> ModelFileError {
      node.file.error(line, "`\(key.value)` \(message)")
    }
    if let from = members.from {
      guard members.kind == nil, members.foreignKey == nil, members.through == nil, members.using == nil
      else {
        throw refuse(
          from.line,
          "is taken `from` another association; only `filter`, `sort` and `parameters` can be added")
      }
      return .from(from)
    }
    guard let (kind, destination) = members.kind else {
      throw refuse(key.line, "has no kind; add `belongsTo`, `hasMany` or `hasOne` with a resource, or `from`")
    }
    switch (members.through, members.using) {
    case (nil, nil):
      return .foreignKey(kind, destination: destination, members.foreignKey)
    case (let through?, let using?):
      guard kind != .belongsTo else {
        throw refuse(destination.line, "goes `through` another association; use `hasOne` or `hasMany`")
      }
      if let foreignKey = members.foreignKey {
        throw refuse(foreignKey.line, "goes `through` another association; remove `foreignKey`")
      }
      return .through(kind, destination: destination, through: through, using: using)
    case (let through?, nil):
      throw refuse(
        through.line, "goes `through` `\(through.value)`; add `using` with an association from there")
    case (nil, let using?):
      throw refuse(
        using.line, "is `using` `\(using.value)`; add `through` with the association that leads there")
    }
  }

  /// Parses the columns of a foreign key: `[authorId]`, or `{ authorId: id }` with the columns referred to.
  private func foreignKey(
    _ node: ModelFileNode
  ) throws -> ModelFile.Located<ModelFile.AssociationDefinition.ForeignKeyColumns> {
    let mend = "write `[authorId]` or `{ authorId: id }`"
    var columns: ModelFile.AssociationDefinition.ForeignKeyColumns
    if node.isMapping {
      let pairs = try node.entries(mend).map { ($0.key.value, try $0.value.text(mend).value) }
      columns = .init(columns: pairs.map(\.0), destinationColumns: pairs.map(\.1))
    } else {
      columns = .init(columns: try node.texts(mend).map(\.value))
    }
    guard !columns.columns.isEmpty else {
      throw node.error("a foreign key needs at least one column; \(mend)")
    }
    return ModelFile.Located(columns, line: node.line)
  }
}
