/// What the printed client knows when it runs: what types can't tell it.
extension TypeScriptClient {
  /// Returns whether the values of a column are texts to the client, since a number could not be all of them.
  func isText(_ column: ServerSchema.Column) -> Bool { options.hasIntegersAsText && column.isWide }

  func texts(of resource: ServerSchema.Resource) -> [String] {
    resource.columns.filter(isText).map(\.name)
  }

  /// The constants with the facts of resources and actions.
  var facts: String {
    // Where associations lead matters only for what is found at their end.
    let isFollowed = schema.resources.contains { !texts(of: $0).isEmpty || !quoted($0).isEmpty }
    let resources = schema.resources.compactMap { resource in
      facts(of: resource, isFollowed: isFollowed).map { "  \(member(resource.name)): { \($0) },\n" }
    }
    let actions = schema.actions.map { action in
      let parts = [
        action.as.map { "as: \(string($0))" },
        action.columns.isEmpty ? nil : "gives: \"\(action.single ? "any" : "many")\"",
      ]
      return "  \(member(action.name)): { \(parts.compactMap(\.self).joined(separator: ", ")) },\n"
    }
    return """
      const kindredFacts: { readonly [resource: string]: Kindred.Facts } = {\(block(resources))};
      \(actions.isEmpty ? "" : "const kindredActions: { readonly [action: string]: Kindred.ActionFacts } = {\(block(actions))};\n")
      """
  }

  private func block(_ lines: [String]) -> String { lines.isEmpty ? "" : "\n\(lines.joined())" }

  private func facts(of resource: ServerSchema.Resource, isFollowed: Bool) -> String? {
    let key = resource.key.count == 1 ? resource.column(resource.key[0]) : nil
    let to = resource.associations.filter { names[$0.destination] != nil }
      .map { "\(member($0.key)): \(string($0.destination))" }
    let parts = [
      // Only a text can be a key that a path can't have by itself.
      key.flatMap { $0.input == .number ? nil : "key: \(string($0.name))" },
      list("quoted", quoted(resource)),
      list("bytes", resource.columns.filter { $0.input == .bytes }.map(\.name)),
      list("integers", texts(of: resource)),
      isFollowed && !to.isEmpty ? "to: { \(to.joined(separator: ", ")) }" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Returns the columns whose names an expression must quote.
  private func quoted(_ resource: ServerSchema.Resource) -> [String] {
    resource.columns.map(\.name).filter { name in
      !name.unicodeScalars.allSatisfy {
        $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
      }
        || !(name.unicodeScalars.first.map { $0 == "_" || $0.properties.isAlphabetic } ?? false)
    }
  }

  private func list(_ name: String, _ items: [String]) -> String? {
    items.isEmpty ? nil : "\(name): [\(items.map(string).joined(separator: ", "))]"
  }

  /// Returns the name of a member of an object; `__proto__` in brackets is one like any other.
  private func member(_ name: String) -> String { name == "__proto__" ? "[\(string(name))]" : property(name) }

  /// Returns what the types of requests know of an action.
  func entry(of action: ServerSchema.Action) -> String {
    let parameters = action.parameters.map { parameter in
      let type =
        switch parameter.type {
        case .text: "string"
        case .integer: "number | bigint"
        case .real: "number"
        case .boolean: "boolean"
        case .json: "unknown"
        }
      return "readonly \(property(parameter.name))\(parameter.required ? "" : "?"): \(type) | null"
    }
    let rows = action.columns.isEmpty ? "none" : action.single ? "one" : "many"
    return """
        \(property(action.name)): {
          parameters: {\(parameters.isEmpty ? "" : " \(parameters.joined(separator: "; ")) ")};
          gives: \(action.as.map { "Schema[\(string($0))]" } ?? row(of: action));
          rows: \(string(rows));
        };

      """
  }

  /// Returns a resource that stands for the rows of an action.
  private func row(of action: ServerSchema.Action) -> String {
    let columns = action.columns.map { column in
      let type = column.type.uppercased()
      let value =
        type.contains("INT") || type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB")
        ? "number | null"
        : type.contains("CHAR") || type.contains("TEXT") || type.contains("CLOB")
          ? "string | null" : "unknown"
      return "\(property(column.name)): \(value)"
    }
    let record = "{ \(columns.joined(separator: "; ")) }"
    return """
      Kindred.AnyResource & { name: \(string(action.name)); record: \(record); plain: \(record); all: \(record); \
      associations: {}; parameters: {} }
      """
  }
}
