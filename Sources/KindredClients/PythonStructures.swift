/// The types of a resource's columns whose values have parts: arrays, and records with fields.
struct PythonStructures {
  private let client: PythonClient
  private let columns: [ServerSchema.Column]
  /// The names of the types of the records that columns hold: no other type has a name of this form.
  private let names: [String: String]

  init(of resource: ServerSchema.Resource, in client: PythonClient) {
    self.client = client
    columns = resource.typedColumns
    names = PythonClient.attributes(of: columns.map(\.name), besides: [])
      .mapValues { "_\(client.name(of: resource))_Part_\($0)" }
  }

  /// The types of the records that columns hold; empty if they hold none.
  var text: String {
    columns.flatMap { column in
      column.parts.map { dictionaries(of: $0, isArray: column.input == .array, name(of: column)) } ?? []
    }.map { $0 + "\n" }.joined()
  }

  /// Returns the type of a column's values: an array of an element, or a record with fields, any of which may be NULL.
  func type(of column: ServerSchema.Column) -> String {
    type(of: column.parts, isArray: column.input == .array, name(of: column))
  }

  private func name(of column: ServerSchema.Column) -> String { names[column.name] ?? "" }

  /// - Parameter name: The name of the type of the record, or of the records in the array.
  private func type(of parts: [ServerSchema.Part]?, isArray: Bool, _ name: String) -> String {
    guard let parts, let first = parts.first else { return isArray ? "list[Any]" : "Any" }
    return isArray ? "list[\(client.orNone(type(of: first, name), true))]" : name
  }

  private func type(of part: ServerSchema.Part, _ name: String) -> String {
    switch part.input {
    case .number: part.decimal == true ? "Decimal" : part.isInteger ? "int" : "float"
    case .boolean: "bool"
    case .text, .date, .time, .timestamp, .bytes: "str"
    case .choice: client.choice(of: part.values)
    case .array, .json: type(of: part.parts, isArray: part.input == .array, name)
    case .any: "Any"
    }
  }

  /// Returns the types of the records that are parts of a value, the inner ones first.
  private func dictionaries(of parts: [ServerSchema.Part], isArray: Bool, _ name: String) -> [String] {
    let names = PythonClient.attributes(of: parts.map { $0.name ?? "" }, besides: [])
    let members = parts.map { part in
      (part: part, name: isArray ? name : "\(name)_\(names[part.name ?? ""] ?? "")")
    }
    let inner = members.flatMap { part, name in
      part.parts.map { dictionaries(of: $0, isArray: part.input == .array, name) } ?? []
    }
    guard !isArray, !parts.isEmpty else { return inner }
    let types = members.map { part, name in (part.name ?? "", client.orNone(type(of: part, name), true)) }
    return inner + [client.dictionary(name, types)]
  }
}
