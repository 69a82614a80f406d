/// The types of records and of requests, which type checkers read.
extension PythonClient {
  /// Returns the types of a resource's records: as they are read, new, and changed.
  func types(of resource: ServerSchema.Resource) -> String {
    let name = name(of: resource)
    // An associated record stands in the place of a column of its name.
    let records = Dictionary(
      self.associations(of: resource).map { ($0.key, $1) }, uniquingKeysWith: { first, _ in first })
    let structures = PythonStructures(of: resource, in: self)
    let type = { self.type(of: $0, structures) }
    let given = { self.given($0, structures) }
    func either(_ type: String, _ column: ServerSchema.Column, _ prefix: String = "") -> String {
      orNone(records[column.name].map { "\(type) | \(prefix)\($0)" } ?? type, column.nullable)
    }
    let columns = resource.columns.map { ($0.name, either(type($0), $0)) }
    let associations = associations(of: resource).filter { association, _ in
      resource.column(association.key) == nil
    }.map { association, destination in
      (association.key, association.isToMany ? "list[\(destination)]" : "\(destination) | None")
    }
    let written = resource.writtenColumns
    let referring = Set(
      resource.associations.filter { $0.belongs && names[$0.destination] != nil }
        .flatMap { $0.columns?.keys.map(\.self) ?? [] })
    let new = written.map { column in
      let type = either(given(column), column, "New")
      let isRequired = resource.requires(column) && !referring.contains(column.name)
      return (column.name, isRequired ? type : "NotRequired[\(type)]")
    }
    let nested = self.associations(of: resource).filter { association, _ in
      !written.contains { $0.name == association.key }
    }.map { association, destination in
      (
        association.key,
        association.isToMany
          ? "Sequence[New\(destination)]"
          : association.belongs ? "New\(destination) | None" : "New\(destination)"
      )
    }
    return """
      \(structures.text)\(comment(resource.description))\(dictionary(name, columns + associations))
      \(dictionary("New\(name)", new + nested.map { ($0.0, "NotRequired[\($0.1)]") }))
      \(dictionary(
        "\(name)Change", written.map { ($0.name, either(given($0), $0, "New")) } + nested, isTotal: false))
      """
  }

  private func comment(_ description: String?) -> String {
    guard let description, !description.isEmpty else { return "" }
    return description.split(whereSeparator: \.isNewline).map { "# \($0)\n" }.joined()
  }

  private func associations(
    of resource: ServerSchema.Resource
  ) -> [(association: ServerSchema.Association, destination: String)] {
    resource.associations.compactMap { association in
      names[association.destination].map { (association, $0) }
    }
  }

  func dictionary(
    _ name: String, _ members: [(String, String)], isTotal: Bool = true, indentation: String = ""
  ) -> String {
    let lines = members.map { "\(indentation)    \(string($0.0)): \(string($0.1)),\n" }.joined()
    return """
      \(indentation)\(name) = TypedDict(\(string(name)), {
      \(lines)\(indentation)}\(isTotal ? "" : ", total=False"))
      """
  }

  func orNone(_ type: String, _ isNullable: Bool) -> String {
    isNullable && type != "Any" ? "\(type) | None" : type
  }

  /// Returns the type of a column's values, NULL aside.
  private func type(of column: ServerSchema.Column, _ structures: PythonStructures) -> String {
    switch column.input {
    case .number: column.decimal == true ? "Decimal" : column.isInteger ? "int" : "float"
    case .boolean: "bool"
    case .text, .date, .time, .timestamp, .bytes: "str"
    case .choice: choice(of: column.values)
    case .array, .json: structures.type(of: column)
    case .any: "Any"
    }
  }

  /// Returns the type of an enumeration's labels.
  func choice(of labels: [String]?) -> String {
    labels.map { $0.isEmpty ? "str" : "Literal[\($0.map(string).joined(separator: ", "))]" } ?? "str"
  }

  /// Returns the type of what is written to a column.
  private func given(_ column: ServerSchema.Column, _ structures: PythonStructures) -> String {
    switch column.input {
    case .number where column.decimal == true: "Decimal | float"
    case .number where !column.isInteger: "float | Decimal"
    case .bytes: "str | bytes"
    case .date, .time, .timestamp: "str | date"
    case .array: structures.type(of: column).replacing(/^list/, with: "Sequence")
    default: type(of: column, structures)
    }
  }

  /// Returns the types of a resource's requests, as a part of a block.
  ///
  /// mypy names a wrong key of a dictionary only where nothing else than the dictionary may stand, so not even `None` may.
  func requests(of resource: ServerSchema.Resource) -> String {
    let name = name(of: resource)
    let comparable = resource.comparableColumns
    let structures = PythonStructures(of: resource, in: self)
    let columns = resource.columns.map(\.name).map(string).joined(separator: ", ")
    let compared = comparable.map { column in
      let type = given(column, structures)
      return (column.name, type == "Any" ? "Any" : "\(type) | Sequence[\(type)] | None")
    }
    let nodes = associations(of: resource).map { association, destination in
      (association.key, "_\(destination)_Node\(association.isToMany ? "s" : "")")
    }
    let key = resource.key.count == 1 ? resource.column(resource.key[0]).map { given($0, structures) } : nil
    return """
          _\(name)_Column = Literal[\(columns)]
      \(dictionary("_\(name)_Where", compared, isTotal: false, indentation: "    "))
      \(dictionary("_\(name)_KeyColumns", comparable.map { ($0.name, given($0, structures)) }, isTotal: false, indentation: "    "))
          _\(name)_Key = \(key.map { "\($0) | " } ?? "")_\(name)_KeyColumns
      \(dictionary("_\(name)_Include", nodes, isTotal: false, indentation: "    "))
      \(clauses(of: resource, name))
      \(requests(name))
      \(methods(name, isAsync: false))
      \(methods(name, isAsync: true))
      """
  }

  private func clauses(of resource: ServerSchema.Resource, _ name: String) -> String {
    let parameters = parameters(of: resource)
    return """

          class _\(name)_Shape(_Returning, total=False):
              fields: Sequence[_\(name)_Column | Literal["*"]] | Mapping[str, _Text] | None
              annotate: Mapping[str, _Text] | None
              include: _\(name)_Include

          class _\(name)_Clauses(_Clauses, total=False):
              fields: Sequence[_\(name)_Column | Literal["*"]] | Mapping[str, _Text] | None
              where: _\(name)_Where
              include: _\(name)_Include\(parameters)

          class _\(name)_Node(_\(name)_Clauses, _NodeClauses, total=False):
              again: Sequence[_\(name)_Node]

          class _\(name)_Nodes(_\(name)_Clauses, _NodeClauses, _Pages, total=False):
              again: Sequence[_\(name)_Nodes]

          class _\(name)_Query(_\(name)_Clauses, _Pages, total=False):
              join: _\(name)_Include

          class _\(name)_PageQuery(_\(name)_Query, _PageClauses, total=False): ...

          class _\(name)_Many(_\(name)_Shape, _Selection, total=False):
              where: _\(name)_Where

          class _\(name)_Options(_\(name)_Shape, _Writing, total=False): ...

          class _\(name)_Upsert(_\(name)_Options, _Merging, total=False):
              on_conflict: _\(name)_Column | Sequence[_\(name)_Column] | None

      """
  }

  /// Returns the members of a request that are the parameters of a common table expression.
  private func parameters(of resource: ServerSchema.Resource) -> String {
    let own: Set = [
      "fields", "where", "include", "join", "annotate", "filter", "search", "having", "sort", "limit",
      "offset",
      "distinct", "group", "values", "key", "required", "depth", "again", "after", "before", "count",
    ]
    return (resource.parameters ?? []).filter { !own.contains($0.name) && Self.isIdentifier($0.name) }.map {
      parameter in
      let type =
        switch parameter.type {
        case .text: "str"
        case .integer: "int"
        case .real: "float"
        case .boolean: "bool"
        case .json: "Any"
        }
      return "\n        \(parameter.name): \(type) | None"
    }.joined()
  }

  private static func isIdentifier(_ name: String) -> Bool {
    name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil && !keywords.contains(name)
  }

  /// Returns the class of a resource's requests as parts of a batch.
  private func requests(_ name: String) -> String {
    """
        class _\(name)_Requests:
            def fetch_all(self, **query: Unpack[_\(name)_Query]) -> Part: ...
            def fetch_one(self, key: _\(name)_Key, **query: Unpack[_\(name)_Query]) -> Part: ...
    \(writes(name, "        def", one: "Part", many: "Part", deleted: "Part"))
    """
  }

  private func writes(_ name: String, _ def: String, one: String, many: String, deleted: String) -> String {
    """
    \(def) create(self, record: New\(name), **options: Unpack[_\(name)_Options]) -> \(one): ...
    \(def) create_all(self, records: Sequence[New\(name)], **options: Unpack[_\(name)_Options]) -> \(many): ...
    \(def) upsert(self, record: \(name)Change, **options: Unpack[_\(name)_Upsert]) -> \(one): ...
    \(def) upsert_all(self, records: Sequence[\(name)Change], **options: Unpack[_\(name)_Upsert]) -> \(many): ...
    \(def) update(self, key: _\(name)_Key, change: \(name)Change, **options: Unpack[_\(name)_Options]) -> \(one): ...
    \(def) replace(self, key: _\(name)_Key, record: New\(name), **options: Unpack[_\(name)_Options]) -> \(one): ...
    \(def) delete(self, key: _\(name)_Key, **options: Unpack[_\(name)_Options]) -> \(deleted): ...
    \(def) update_all(self, change: \(name)Change, **selection: Unpack[_\(name)_Many]) -> \(many): ...
    \(def) delete_all(self, **selection: Unpack[_\(name)_Many]) -> \(deleted): ...

    """
  }

  /// Returns the class of a resource, whose records have a type that `of` chooses.
  private func methods(_ name: String, isAsync: Bool) -> String {
    let (prefix, def) = isAsync ? ("Async", "        async def") : ("", "        def")
    let iterator = isAsync ? "AsyncIterator" : "Iterator"
    return """
          class \(prefix)\(name)Resource(Generic[_R]):
              @property
              def request(self) -> _\(name)_Requests: ...
              def of(self, record: type[_T]) -> \(prefix)\(name)Resource[_T]: ...
      \(def) fetch_all(self, **query: Unpack[_\(name)_Query]) -> list[_R]: ...
      \(def) fetch_one(self, key: _\(name)_Key, **query: Unpack[_\(name)_Query]) -> _R: ...
      \(def) fetch_page(self, **query: Unpack[_\(name)_PageQuery]) -> Page[_R]: ...
      \(def) fetch_count(self, **query: Unpack[_\(name)_Query]) -> int: ...
              def records(self, **query: Unpack[_\(name)_Query]) -> \(iterator)[_R]: ...
              def live(
                  self, *, on_status: Callable[..., object] | None = None, **query: Unpack[_\(name)_Query],
              ) -> \(iterator)[list[_R]]: ...
      \(def) to_dataframe(self, **query: Unpack[_\(name)_Query]) -> Any: ...
      \(writes(name, def, one: "_R", many: "list[_R]", deleted: "Any"))
              def value(self, key: _\(name)_Key, column: _\(name)_Column) -> _Value: ...
              def etag(self, record: _R) -> str: ...
      \(def) import_(
                  self, content: Iterable[New\(name)] | str | bytes | BinaryIO, *,
                  type: Literal["ndjson", "csv"] = "ndjson",
                  on_conflict: _\(name)_Column | Sequence[_\(name)_Column] | None = None,
                  duplicates: Literal["merge", "ignore"] | None = None,
              ) -> int: ...

      """
  }
}
