import CKindredClients

/// A client in TypeScript: the types of a server's resources, and what is the same for all servers.
public struct TypeScriptClient {
  private let schema: ServerSchema
  private let names: TypeNames

  /// Creates the client of a server.
  public init(_ schema: ServerSchema) {
    self.schema = schema
    names = TypeNames(
      schema, reserved: Self.reserved,
      variants: [("New", ""), ("", "Change"), ("", "Columns"), ("New", "Columns")])
  }

  /// The content of the file, which imports nothing.
  public var text: String {
    let types = schema.resources.map(types).joined(separator: "\n")
    let entries = schema.resources.map(entry).joined()
    return """
      // Made by `kindred client typescript`; make it anew when the database or the model file has changed.

      \(types)
      /** The resources, as the types of requests know them. */
      export interface Schema {
      \(entries)}

      \(Self.runtime)
      """
  }

  private static var runtime: String {
    let text = kindred_typescript_client()
    return String(decoding: UnsafeBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
  }

  /// The types that the file uses by their names, beside those in its namespace.
  private static let reserved: Set = [
    "AbortSignal", "AsyncGenerator", "Awaited", "Exclude", "Kindred", "KindredServer", "NonNullable", "Omit",
    "Partial", "Pick", "Problem", "Promise", "ReturnType", "Schema", "WeakMap",
  ]

  // MARK: Records

  private func types(of resource: ServerSchema.Resource) -> String {
    let name = name(of: resource)
    let plain = resource.plainColumns
    let others = resource.columns.filter { column in !plain.contains { $0.name == column.name } }
    let changes = resource.columns.filter { !$0.isReadOnly }.map { column in
      "  \(property(column.name))?: \(type(of: column))\(column.nullable ? " | null" : "");\n"
    }
    let nested = resource.associations.compactMap(nested).joined()
    return """
      \(comment(resource.description, ""))export interface \(name) {
      \(members(plain))}
      \(others.isEmpty ? "" : "export interface \(name)Columns extends \(name) {\n\(members(others))}\n")interface New\(name)Columns {
      \(new(resource).joined())\(nested)}
      export type New\(name) = \((["New\(name)Columns"] + references(of: resource)).joined(separator: " & "));
      export interface \(name)Change {
      \(changes.joined())\(nested)}

      """
  }

  private func members(_ columns: [ServerSchema.Column]) -> String {
    columns.map { column in
      "\(comment(column.description, "  "))  \(property(column.name)): \(type(of: column))\(column.nullable ? " | null" : "");\n"
    }.joined()
  }

  /// The columns of a new record but for those that refer to records that may be nested in it.
  private func new(_ resource: ServerSchema.Resource) -> [String] {
    let referring = Set(requiredReferences(of: resource).flatMap { $0.columns?.keys.map(\.self) ?? [] })
    return resource.columns.filter { !$0.isReadOnly }.map { column in
      let isOptional = !resource.requires(column) || referring.contains(column.name)
      let null = column.nullable ? " | null" : ""
      return "  \(property(column.name))\(isOptional ? "?" : ""): \(type(of: column))\(null);\n"
    }
  }

  /// The associations to one record by columns of which a new record must have one.
  private func requiredReferences(of resource: ServerSchema.Resource) -> [ServerSchema.Association] {
    resource.associations.filter { association in
      association.belongs && names[association.destination] != nil
        && association.columns?.keys.contains { resource.column($0).map(resource.requires) ?? false } ?? false
    }
  }

  /// Conditions of TypeScript: the columns that refer to a record, or the record itself.
  private func references(of resource: ServerSchema.Resource) -> [String] {
    requiredReferences(of: resource).map { association in
      let columns = resource.columns.filter { association.columns?[$0.name] != nil && resource.requires($0) }
        .map { "\(property($0.name)): \(type(of: $0))" }
      let destination = names[association.destination] ?? ""
      return "({ \(columns.joined(separator: "; ")) } | { \(property(association.key)): New\(destination) })"
    }
  }

  /// The member of a new or changed record that holds associated records.
  private func nested(_ association: ServerSchema.Association) -> String? {
    guard let destination = names[association.destination] else { return nil }
    let key = property(association.key)
    if association.belongs { return "  \(key)?: New\(destination) | null;\n" }
    let given = association.columns.map { $0.values.sorted() } ?? []
    let record =
      given.isEmpty
      ? "New\(destination)" : "Kindred.Below<New\(destination), \(union(given))>"
    return "  \(key)?: \(record)\(association.isToMany ? "[]" : "");\n"
  }

  // MARK: Resources

  private func entry(of resource: ServerSchema.Resource) -> String {
    let name = name(of: resource)
    let plain = Set(resource.plainColumns.map(\.name))
    let record = plain.count == resource.columns.count ? name : "\(name)Columns"
    let all = Set(resource.allColumns.map(\.name))
    let star =
      all == plain
      ? name
      : all.count == resource.columns.count
        ? record : "Pick<\(record), \(union(resource.allColumns.map(\.name)))>"
    let comparable = resource.columns.filter { ![.bytes, .json, .array].contains($0.input) }.map(\.name)
    let key = resource.key.count == 1 ? resource.column(resource.key[0]).map(type) : nil
    let associations = resource.associations.filter { names[$0.destination] != nil }.map { association in
      "      \(property(association.key)): { many: \(association.isToMany); to: Schema[\(string(association.destination))] };\n"
    }
    return """
        \(property(resource.name)): {
          name: \(string(resource.name));
          record: \(record);
          plain: \(name);
          all: \(star);
          new: New\(name);
          change: \(name)Change;
          comparable: \(union(comparable));
          key: \(key ?? "never");
          parameters: {\(parameters(of: resource))};
          associations: {
      \(associations.joined())    };
        };

      """
  }

  /// Returns the members of a request that are the parameters of a common table expression.
  private func parameters(of resource: ServerSchema.Resource) -> String {
    let members = (resource.parameters ?? []).filter { !Self.words.contains($0.name) }.map { parameter in
      let type =
        switch parameter.type {
        case .text: "string"
        case .integer, .real: "number"
        case .boolean: "boolean"
        }
      return "readonly \(property(parameter.name))\(parameter.required ? "" : "?"): \(type)"
    }
    return members.isEmpty ? "" : " \(members.joined(separator: "; ")) "
  }

  /// The members of requests that aren't parameters of the server, so that no name of a parameter can differ from them.
  private static let words: Set = ["depth", "of", "required", "signal", "where"]

  // MARK: Words

  /// Returns the comment of a declaration; empty without a description.
  private func comment(_ description: String?, _ indentation: String) -> String {
    guard let description, !description.isEmpty else { return "" }
    let text = description.split(whereSeparator: \.isNewline).joined(separator: " ")
    return "\(indentation)/** \(text.replacing("*/", with: "*\u{200B}/")) */\n"
  }

  private func union(_ names: [String]) -> String {
    names.isEmpty ? "never" : names.map(string).joined(separator: " | ")
  }

  private func name(of resource: ServerSchema.Resource) -> String { names[resource.name] ?? "" }

  private func type(of column: ServerSchema.Column) -> String {
    switch column.input {
    case .number: "number"
    case .boolean: "boolean"
    case .text, .date, .time, .timestamp, .bytes: "string"
    case .choice: column.values.map(union) ?? "string"
    case .array: "unknown[]"
    case .json, .any: "unknown"
    }
  }

  /// Returns the name of a property as it is declared.
  private func property(_ name: String) -> String {
    let isPlain = name.utf8.enumerated().allSatisfy { index, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
        true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
      default: false
      }
    }
    return isPlain && !name.isEmpty ? name : string(name)
  }

  /// Returns a text as a literal (ECMA-262 §12.9.4).
  private func string(_ text: String) -> String { text.literal(escaping: ["<"]) }
}
