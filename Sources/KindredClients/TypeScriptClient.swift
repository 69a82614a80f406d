import CKindredClients

/// A client in TypeScript: the types of a server's resources, and what is the same for all servers.
public struct TypeScriptClient {
  /// How the client is printed.
  public struct Options: Sendable {
    /// Whether integers of 64 bits and exact decimals are texts.
    public var hasIntegersAsText = false
    /// Whether there is a hook of React for live results.
    public var hasReact = false

    /// Creates the options of a client whose numbers are numbers, and which imports nothing.
    public init() {}
  }

  let schema: ServerSchema
  let names: TypeNames
  let options: Options

  /// Creates the client of a server.
  public init(_ schema: ServerSchema, options: Options = Options()) {
    self.schema = schema
    self.options = options
    names = TypeNames(
      schema, reserved: Self.reserved,
      variants: [("New", ""), ("", "Change"), ("", "Columns"), ("New", "Columns")])
  }

  /// The content of the file, which imports nothing but hooks for React.
  public var text: String {
    let types = schema.resources.map(types).joined(separator: "\n")
    let entries = schema.resources.map(entry).joined()
    return """
      // Made by `kindred client typescript`; make it anew when the database or the model file has changed.
      \(options.hasReact ? "import { useEffect, useState } from \"react\";\n" : "")
      \(types)
      /** The resources, as the types of requests know them. */
      export interface Schema {
      \(entries)}

      /** The actions, as the types of requests know them. */
      export interface Actions {
      \(schema.actions.map(entry).joined())}

      \(facts)
      \(parts.joined(separator: "\n"))
      """
  }

  /// The parts of the file that are the same for every database.
  private var parts: [String] {
    [
      Self.text(of: kindred_typescript_client()),
      options.hasIntegersAsText
        ? Self.text(of: kindred_typescript_texts())
        : """
        const textsOf = (_resource?: string, _query?: Kindred.Loose): Kindred.Texts => undefined;
        const isTextAt = (_path: readonly unknown[], _texts: Kindred.Texts) => false;

        """,
      schema.actions.isEmpty
        ? "const actionCalls = (): Kindred.Loose => ({});\n" : Self.text(of: kindred_typescript_actions()),
      options.hasReact ? Self.text(of: kindred_typescript_react()) : "",
    ].filter { !$0.isEmpty }
  }

  private static func text(of text: kindred_client_text) -> String {
    String(decoding: UnsafeBufferPointer(start: text.bytes, count: text.length), as: UTF8.self)
  }

  /// The types that the file uses by their names, in addition to those in its namespace.
  private static let reserved: Set = [
    "AbortSignal", "Actions", "ArrayBuffer", "ArrayBufferView", "AsyncGenerator", "AsyncIterable", "Awaited",
    "Blob",
    "Error", "Exclude", "Extract", "Iterable", "Kindred", "KindredExpression", "KindredServer", "NonNullable",
    "Omit",
    "Parameters", "Partial", "Pick", "Problem", "Promise", "PropertyKey", "ReadableStream", "ReturnType",
    "Schema",
    "TemplateStringsArray", "Uint8Array",
  ]

  // MARK: Records

  private func types(of resource: ServerSchema.Resource) -> String {
    let name = name(of: resource)
    let plain = resource.plainColumns
    let others = resource.columns.filter { column in !plain.contains { $0.name == column.name } }
    let changes = resource.writtenColumns.map { column in
      "  \(property(column.name))?: \(written(column, of: resource));\n"
    }
    let nested = resource.associations.filter { resource.column($0.key) == nil }.compactMap(nested).joined()
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

  /// The columns of a new record, except columns that refer to records that may be nested in it.
  private func new(_ resource: ServerSchema.Resource) -> [String] {
    let referring = Set(requiredReferences(of: resource).flatMap { $0.columns?.keys.map(\.self) ?? [] })
    return resource.writtenColumns.map { column in
      let isOptional = !resource.requires(column) || referring.contains(column.name)
      return "  \(property(column.name))\(isOptional ? "?" : ""): \(written(column, of: resource));\n"
    }
  }

  /// The type of what is written as a column: its value or, if an association has its name, the record to which it
  /// refers.
  private func written(_ column: ServerSchema.Column, of resource: ServerSchema.Resource) -> String {
    let record = resource.associations.first { $0.key == column.name }.flatMap { names[$0.destination] }
    return given(column) + (record.map { " | New\($0)" } ?? "") + (column.nullable ? " | null" : "")
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
        .map { "\(property($0.name)): \(given($0))" }
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
    let key = resource.key.count == 1 ? resource.column(resource.key[0]).map(given) : nil
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
          comparable: \(union(resource.comparableColumns.map(\.name)));
          bytes: \(union(resource.columns.filter { $0.input == .bytes }.map(\.name)));
          integers: \(union(texts(of: resource)));
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
        case .json: "unknown"
        }
      return
        "readonly \(property(parameter.name))\(parameter.required ? ": \(type)" : "?: \(type) | undefined")"
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

  func union(_ names: [String]) -> String {
    names.isEmpty ? "never" : names.map(string).joined(separator: " | ")
  }

  private func name(of resource: ServerSchema.Resource) -> String { names[resource.name] ?? "" }

  /// Returns the type of a column's values, NULL aside.
  private func type(of column: ServerSchema.Column) -> String {
    switch column.input {
    case .number: isText(column) ? "string" : "number"
    case .boolean: "boolean"
    case .text, .date, .time, .timestamp, .bytes: "string"
    case .choice: column.values.map(union) ?? "string"
    case .array, .json: type(of: column.parts, isArray: column.input == .array)
    case .any: "unknown"
    }
  }

  /// Returns the type of an array of an element, or of a record with fields, any of which may be NULL.
  private func type(of parts: [ServerSchema.Part]?, isArray: Bool) -> String {
    guard let parts, !parts.isEmpty else { return isArray ? "unknown[]" : "unknown" }
    let types = parts.map { part in
      switch part.input {
      case .number: "number"
      case .boolean: "boolean"
      case .text, .date, .time, .timestamp, .bytes: "string"
      case .choice: part.values.map(union) ?? "string"
      case .array, .json: type(of: part.parts, isArray: part.input == .array)
      case .any: "unknown"
      }
    }
    guard !isArray else { return "(\(types[0]) | null)[]" }
    let members = zip(parts, types).map { part, type in "\(property(part.name ?? "")): \(type) | null" }
    return "{ \(members.joined(separator: "; ")) }"
  }

  /// Returns the type of what is written to a column.
  private func given(_ column: ServerSchema.Column) -> String {
    switch column.input {
    case .number: isText(column) ? "string | number | bigint" : "number | bigint"
    default: type(of: column)
    }
  }

  /// Returns the name of a property as it is declared.
  func property(_ name: String) -> String {
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
  func string(_ text: String) -> String { text.literal(escaping: ["<"]) }
}
