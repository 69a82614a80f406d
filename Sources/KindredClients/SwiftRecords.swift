/// Record types of the Swift library for the tables of a server, with their associations.
public struct SwiftRecords {
  private let schema: ServerSchema
  private let names: TypeNames

  /// Creates the records of a server's resources.
  public init(_ schema: ServerSchema) {
    self.schema = schema
    names = TypeNames(schema, reserved: Self.reserved)
  }

  /// The content of the file.
  public var text: String {
    """
    // Made by `kindred client swift`; make it anew when the database or the model file has changed.

    \(["Foundation", "Kindred"].map { "import \($0)" }.joined(separator: "\n"))

    \(schema.resources.map(record).joined(separator: "\n"))
    """
  }

  /// The types that the file uses by their names.
  private static let reserved: Set = [
    "Any", "Bool", "Codable", "CodingKey", "Data", "DatabaseValue", "Decimal",
    "Double", "FetchableRecord", "ForeignKey",
    "Foundation", "Int", "Kindred", "PersistableRecord", "PersistenceContainer", "Protocol", "Row",
    "Self", "Sendable", "String", "TableRecord", "Type",
  ]

  private func record(_ resource: ServerSchema.Resource) -> String {
    let name = names[resource.name] ?? ""
    let properties = Properties(resource)
    // The database has no column that the model file computes.
    let columns = resource.columns.filter { $0.computed != true }
    let members = columns.map {
      "\(comment(Self.description(of: $0), indentation: "  "))  var \(properties[$0.name]): \(type(of: $0))\n"
    }
    let associations = resource.associations.compactMap { association in
      declaration(of: association, in: resource).map { expression in
        "  static let \(properties.name(ofAssociation: association.key)) = \(expression)\n"
      }
    }
    let isCodable = !columns.contains { $0.input == .any }
    var parts = [members.joined(), associations.joined()]
    if isCodable, !properties.areColumns {
      let keys = columns.map { "    case \(properties[$0.name]) = \(string($0.name))\n" }
      parts.append("  enum CodingKeys: String, CodingKey {\n\(keys.joined())  }\n")
    }
    // The rows of a view without a key can't be addressed.
    let writing = resource.key.isEmpty ? "TableRecord" : "PersistableRecord"
    return """
      \(comment(resource.description, indentation: ""))struct \(name): \(isCodable ? "Codable, " : "")FetchableRecord, \(writing), Sendable {
        static let databaseTableName = \(string(resource.table))

      \(parts.filter { !$0.isEmpty }.joined(separator: "\n"))}
      \(conversions(of: columns, properties, name, isCodable: isCodable))
      """
  }

  /// Returns how a record is read and written where `Codable` can't: columns without a type have any value, and those
  /// that the database computes aren't written.
  private func conversions(
    of columns: [ServerSchema.Column], _ properties: Properties, _ name: String, isCodable: Bool
  ) -> String {
    var functions: [String] = []
    if !isCodable {
      let lines = columns.map { "    \(properties.member($0.name)) = row[\(string($0.name))]\n" }
      functions.append("  init(row: Row) throws {\n\(lines.joined())  }\n")
    }
    if !isCodable || columns.contains(where: \.isReadOnly) {
      let lines = columns.filter { !$0.isReadOnly }
        .map { "    container[\(string($0.name))] = \(properties.member($0.name))\n" }
      functions.append(
        "  func encode(to container: inout PersistenceContainer) throws {\n\(lines.joined())  }\n")
    }
    return functions.isEmpty ? "" : "\nextension \(name) {\n\(functions.joined(separator: "\n"))}\n"
  }

  // MARK: Associations

  /// Returns nil for associations that the library can't declare, such as those with conditions over several tables.
  private func declaration(
    of association: ServerSchema.Association, in resource: ServerSchema.Resource
  ) -> String? {
    guard let destination = names[association.destination], association.isFiltered != true else { return nil }
    if let columns = association.ownColumns {
      guard !columns.isEmpty else { return nil }
      let pairs = columns.sorted { $0.key < $1.key }
      let foreignKey =
        association.belongs
        ? self.foreignKey(pairs.map(\.key), to: pairs.map(\.value))
        : self.foreignKey(pairs.map(\.value), to: pairs.map(\.key))
      let kind = association.belongs ? "belongsTo" : association.isToMany ? "hasMany" : "hasOne"
      return "\(kind)(\(destination).self, key: \(string(association.key)), using: \(foreignKey))"
    }
    return through(association, in: resource, to: destination)
  }

  private func foreignKey(_ origin: [String], to destination: [String]) -> String {
    func list(_ names: [String]) -> String { "[\(names.map(string).joined(separator: ", "))]" }
    return "ForeignKey(\(list(origin)), to: \(list(destination)))"
  }

  /// Returns an association of two steps by those of one step that it consists of.
  private func through(
    _ association: ServerSchema.Association, in resource: ServerSchema.Resource, to destination: String
  ) -> String? {
    guard let steps = association.steps, steps.count == 2,
      let pivot = resource.associations.first(where: {
        $0.ownColumns == steps[0].columns && leads($0, to: steps[0].to)
      }),
      let between = schema[pivot.destination], let type = names[between.name],
      let target = between.associations.first(where: {
        $0.ownColumns == steps[1].columns && $0.destination == association.destination
      }),
      association.isToMany || !(pivot.isToMany || target.isToMany)
    else { return nil }
    let first = Properties(resource).name(ofAssociation: pivot.key)
    let second = Properties(between).name(ofAssociation: target.key)
    let kind = association.isToMany ? "hasMany" : "hasOne"
    return
      "\(kind)(\(destination).self, through: \(first), using: \(type).\(second), key: \(string(association.key)))"
  }

  private func leads(_ association: ServerSchema.Association, to table: String?) -> Bool {
    table != nil && schema[association.destination]?.table == table
  }

  // MARK: Words

  private func type(of column: ServerSchema.Column) -> String {
    // A value without a type may be NULL itself.
    column.input == .any || !column.nullable ? plainType(of: column) : plainType(of: column) + "?"
  }

  private func plainType(of column: ServerSchema.Column) -> String {
    switch column.input {
    case .boolean: "Bool"
    case .bytes: "Data"
    case .number: column.decimal == true ? "Decimal" : column.isInteger ? "Int" : "Double"
    case .text, .date, .time, .timestamp, .choice, .json, .array: "String"
    case .any: "DatabaseValue"
    }
  }

  /// Returns what the database says about a column, and its only values if it has an enumeration's.
  private static func description(of column: ServerSchema.Column) -> String? {
    let values = column.values.map { "One of: \($0.joined(separator: ", "))." }
    let parts = [column.description, values].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "\n")
  }

  /// Returns the comment of a declaration; empty without a description.
  private func comment(_ description: String?, indentation: String) -> String {
    guard let description, !description.isEmpty else { return "" }
    return description.split(whereSeparator: \.isNewline).map { "\(indentation)/// \($0)\n" }.joined()
  }

  private func string(_ text: String) -> String { text.literal() }
}

/// The properties of a record type.
private struct Properties {
  private var columns: [String: String] = [:]
  private var associations: [String: String] = [:]
  /// Whether each property has the name of its column.
  private(set) var areColumns = true

  init(_ resource: ServerSchema.Resource) {
    // What the declarations of the type call, and its name.
    var taken: Set = ["CodingKeys", "belongsTo", "databaseTableName", "encode", "hasMany", "hasOne"]
    func free(_ name: String) -> String {
      var (found, number) = (name, 2)
      while taken.contains(found) {
        found = "\(name)\(number)"
        number += 1
      }
      taken.insert(found)
      return found
    }
    for column in resource.columns {
      let name = free(Self.identifier(column.name))
      columns[column.name] = name
      areColumns = areColumns && name == column.name
    }
    for association in resource.associations {
      associations[association.key] = free(Self.identifier(association.key))
    }
  }

  subscript(column: String) -> String { Self.quoted(columns[column] ?? column) }

  /// Returns the property of a column as code in the type refers to it, whatever else has its name there.
  func member(_ column: String) -> String { "self.\(self[column])" }

  func name(ofAssociation key: String) -> String { Self.quoted(associations[key] ?? key) }

  /// Returns a name with only letters, digits and underscores.
  private static func identifier(_ name: String) -> String {
    if !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }),
      name.first?.isNumber == false, name != "_"
    {
      return name
    }
    let words = name.split { !$0.isOfWords }
    let first = words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? "column"
    let joined = first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return joined.beginsIdentifier ? joined : "_" + joined
  }

  private static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// The reserved words (The Swift Programming Language, Lexical Structure).
  private static let keywords: Set = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is",
    "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
    "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while",
  ]
}
