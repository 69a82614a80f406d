import KindredModel
import KindredYAML

/// Parses the text of a model file.
public struct ModelFileParser {
  private let path: String
  private let errors = ModelFileErrors()

  /// - Parameter path: the path of the file, for error messages.
  public init(path: String) {
    self.path = path
  }

  /// Parses the text of a file.
  ///
  /// - Throws: `ModelFileError` for text that isn't YAML, an unknown member, a value of the wrong form, or an invalid
  ///   expression.
  public func parse(_ text: String) throws -> ModelFile {
    let file = try parseValidParts(of: text)
    try errors.check()
    return file
  }

  /// Parses what is valid in the text of a file; the errors of the rest are thrown with those of making the model.
  ///
  /// - Throws: `ModelFileError` for text that isn't YAML.
  func parseValidParts(of text: String) throws -> ModelFile {
    var file = ModelFile(path: path)
    guard let node = try compose(text) else { return file }
    let root = ModelFileNode(node, in: file, name: "the model file")
    if root.isNull { return file }
    for (member, value) in try root.entries("begin with `resources:`") {
      try errors.attempt {
        switch member.value {
        case "resources":
          file.resources = try value.sectionEntries("write a resource as `authors: { sort: name }`")
            .compactMap { entry in try errors.attempt { try resource(entry.key, entry.value) } }
        case "commonTableExpressions":
          file.commonTableExpressions = try value.sectionEntries(
            "write one as `authorStats: { sql: SELECT …, key: [authorId] }`"
          ).compactMap { entry in try errors.attempt { try commonTableExpression(entry.key, entry.value) } }
        case "access": file.access = try access(value)
        case "actions":
          file.actions = try value.sectionEntries(
            "write one as `restock: { parameters: { id: integer }, sql: UPDATE … }`"
          )
          .compactMap { entry in try errors.attempt { try ActionParser().action(entry.key, entry.value) } }
        default:
          throw file.unknown(
            member, "a model file has no `\(member.value)`",
            among: ["resources", "actions", "commonTableExpressions", "access"])
        }
      }
    }
    file.errors = errors.errors
    return file
  }

  private func compose(_ text: String) throws -> YAMLNode? {
    func refusal(_ line: Int?, _ message: String) -> ModelFileError {
      ModelFileError(path: path, line: line, message)
    }
    do throws(YAMLError) {
      return try YAMLNode.parse(text)
    } catch {
      switch error {
      case .syntax(let problem, let line, let column):
        throw refusal(line, "this is not YAML: \(problem), at column \(column)")
      case .repeatedKey(let key, let line):
        throw refusal(line, "`\(key)` is repeated in the same mapping; remove one of them")
      case .unreadable(let problem, let line): throw refusal(line, "this is not YAML: \(problem)")
      }
    }
  }

  // MARK: Resources

  private func resource(
    _ name: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.ResourceEntry {
    var entry = ModelFile.ResourceEntry(name: name)
    guard !Resource.reservedNames.contains(name.value) else {
      throw node.file.error(name.line, "`\(name.value)` can't be the name of a resource; choose another")
    }
    if node.isNull { return entry }
    var refinement = ModelFile.ResourceRefinement()
    let members = try node.entries(
      "write `\(name.value): null` to remove the resource, `{}` to keep it as it is")
    for (member, value) in members {
      try errors.attempt {
        switch member.value {
        case "table": refinement.table = try value.text("name a table of the database")
        case "sort": refinement.sort = try sort(value)
        case "fields": refinement.fields = try value.texts("write the columns as `[id, name]`")
        case "hidden": refinement.hidden = try value.texts("write the columns as `[email]`")
        case "label": refinement.label = try value.text("name the column shown in place of a record")
        case "search": refinement.search = try search(value)
        case "key": refinement.key = try value.texts("write the columns as `[id]`")
        case "associations":
          refinement.associations = try value.sectionEntries("write one as `books: { hasMany: books }`")
            .map(association)
        case "foreignKeys": refinement.foreignKeys = try foreignKeys(value)
        case "access": refinement.access = try access(value)
        case "columns":
          refinement.columns = try value.sectionEntries(
            "write one as `fullName: firstName || ' ' || lastName`"
          ).map {
            ($0.key, try expression($0.value, "write an expression, such as `books.count`"))
          }
        default:
          throw node.file.unknown(
            member, "a resource has no `\(member.value)`",
            among: [
              "table", "sort", "fields", "hidden", "label", "search", "key", "associations", "foreignKeys",
              "columns", "access",
            ])
        }
      }
    }
    entry.refinement = refinement
    return entry
  }

  private func search(_ node: ModelFileNode) throws -> ModelFile.SearchDefinition {
    var definition = ModelFile.SearchDefinition(line: node.line)
    for (member, value) in try node.entries("write `{ column: words, configuration: english }`") {
      switch member.value {
      case "column": definition.column = try value.text("name a tsvector column")
      case "configuration": definition.configuration = try value.text("name a text search configuration")
      default:
        throw node.file.unknown(
          member, "`search` has no `\(member.value)`", among: ["column", "configuration"])
      }
    }
    return definition
  }

  private func commonTableExpression(
    _ name: ModelFile.Located<String>, _ node: ModelFileNode
  ) throws -> ModelFile.CommonTableExpression {
    guard !Resource.reservedNames.contains(name.value) else {
      throw node.file.error(name.line, "`\(name.value)` can't be the name of a resource; choose another")
    }
    var sql: ModelFile.Located<String>?
    var key: [ModelFile.Located<String>] = []
    var resource: ModelFile.Located<String>?
    var parameters: [ModelFile.Located<QueryParameter>] = []
    for (member, value) in try node.entries("write `sql: SELECT …` and `key: [column]`") {
      switch member.value {
      case "sql": sql = try value.text("write one SELECT")
      case "key": key = try value.texts("write the columns as `[authorId]`")
      case "parameters": parameters = try value.entries(Self.parameterForm).map(parameter)
      case "as": resource = try value.text("write the name of a resource")
      default:
        throw node.file.unknown(
          member, "a common table expression has no `\(member.value)`",
          among: ["sql", "key", "parameters", "as"])
      }
    }
    if let resource, let column = key.first {
      throw node.file.error(
        column.line, "`\(name.value)` has the key of `\(resource.value)`; remove `key`, or `as`")
    }
    guard let sql else { throw node.file.error(name.line, "`\(name.value)` has no `sql`; write one SELECT") }
    return ModelFile.CommonTableExpression(
      name: name, sql: sql, parameters: parameters, key: key, resource: resource)
  }

  // MARK: Expressions

  /// Parses an order: one text with commas, or a list of terms.
  func sort(_ node: ModelFileNode) throws -> ModelFile.Located<[SortTerm]> {
    let mend = "write it as `-year, title`"
    if node.isSequence {
      let terms = try node.texts(mend).flatMap { try sort($0, in: node) }
      return ModelFile.Located(terms, line: node.line)
    }
    return ModelFile.Located(try sort(try node.text(mend), in: node), line: node.line)
  }

  private func sort(_ text: ModelFile.Located<String>, in node: ModelFileNode) throws -> [SortTerm] {
    do {
      var parser = try ExpressionParser(text.value)
      return try parser.parseSort()
    } catch let error as RequestError {
      throw node.file.error(text.line, in: node.name, error)
    }
  }

  func expression(
    _ node: ModelFileNode, _ mend: String = "write a condition, as `kind = 'novel'`"
  ) throws -> ModelFile.Located<Expression> {
    let text = try node.text(mend)
    do {
      var parser = try ExpressionParser(text.value)
      return ModelFile.Located(try parser.parseExpression(), line: text.line)
    } catch let error as RequestError {
      let endsEarly = error.origin.map { $0.position >= text.value.unicodeScalars.count } ?? false
      throw node.file.error(text.line, in: node.name, error, endsEarly ? node.commaAdvice : "")
    }
  }
}
