import Foundation

/// What a server serves: `/-/schema`, as far as clients need it.
public struct ServerSchema: Decodable, Sendable {
  /// Why a document isn't the schema of a server.
  public struct MalformedDocument: Error {}

  let resources: [Resource]
  let actions: [Action]

  /// - Parameter json: The document at `/-/schema`.
  /// - Throws: `MalformedDocument`
  public init(json: [UInt8]) throws(MalformedDocument) {
    guard let schema = try? JSONDecoder().decode(Self.self, from: Data(json)) else {
      throw MalformedDocument()
    }
    self = schema
  }

  private enum CodingKeys: CodingKey {
    case resources, actions
  }

  /// Creates the schema of a document, in which servers without actions leave them out.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    resources = try members.decode([Resource].self, forKey: .resources)
    actions = try members.decodeIfPresent([Action].self, forKey: .actions) ?? []
  }

  /// A call of statements that the model file defines.
  struct Action: Decodable {
    let name: String
    let parameters: [Parameter]
    /// The resource whose records the rows are.
    let `as`: String?
    /// Whether it gives the first row only.
    let single: Bool
    /// The columns of its rows; none if it gives no rows.
    let columns: [Result]

    struct Result: Decodable {
      let name: String
      let type: String
    }
  }

  struct Resource: Decodable {
    let name: String
    let table: String
    let description: String?
    /// The columns that identify a record; empty if nothing does.
    let key: [String]
    let columns: [Column]
    /// The columns that the client may write and not read.
    let writeOnly: [Column]?
    /// The columns that a request without `fields` returns, if not all stored ones.
    let fields: [String]?
    /// The parameters of a common table expression.
    let parameters: [Parameter]?
    let associations: [Association]
  }

  struct Parameter: Decodable {
    let name: String
    let type: Kind
    let required: Bool

    enum Kind: String, Decodable {
      case text, integer, real, boolean, json
    }
  }

  struct Column: Decodable {
    let name: String
    /// The declared type.
    let type: String
    let description: String?
    /// How its values are written in JSON; see `/-/schema`.
    let input: Input
    /// The labels of an enumeration.
    let values: [String]?
    let nullable: Bool
    let `default`: String?
    /// Whether the database computes it.
    let isGenerated: Bool
    /// Whether the model file computes it.
    let computed: Bool?
    /// The bits of its integers, if they are fewer than 64.
    let bits: Int?
    /// Whether its numbers are exact, whatever their digits.
    let decimal: Bool?
    /// Whether the server sets it in new records.
    let isPreset: Bool?

    /// The element of its arrays, or the fields of its records, where they are known.
    let parts: [Part]?

    var isReadOnly: Bool { isGenerated || computed == true }

    /// Whether its values are numbers without a fraction (<https://sqlite.org/datatype3.html> §3.1).
    var isInteger: Bool { input == .number && (type.isInteger || type.uppercased().contains("SERIAL")) }

    /// Whether its numbers can be such that a double rounds them, though they are exact.
    var isWide: Bool { isInteger && (bits ?? 64) > 32 || input == .number && decimal == true }
  }

  /// An element of an array, or a field of a record.
  struct Part: Decodable, Sendable {
    let name: String?
    let type: String
    let input: Input
    let values: [String]?
    /// Whether its numbers are exact, whatever their digits.
    let decimal: Bool?
    let parts: [Part]?

    var isInteger: Bool { input == .number && type.isInteger }
  }

  enum Input: String, Decodable {
    case text, date, time, timestamp, number, boolean, json, array, bytes, any
    case choice = "enum"
  }

  struct Association: Decodable {
    let key: String
    let kind: String
    let destination: String
    /// The columns of the first step with the columns that they refer to, or are referred to by.
    let columns: [String: String]?
    /// The steps of an association through other tables.
    let steps: [Step]?
    /// Whether it leads to some of the records only.
    let isFiltered: Bool?

    /// The origin's columns with the destination's, of an association of one step.
    var ownColumns: [String: String]? { (steps?.count ?? 1) == 1 ? columns : nil }

    var isToMany: Bool { kind.hasPrefix("hasMany") }
    var belongs: Bool { kind == "belongsTo" }
  }

  struct Step: Decodable {
    let from: String?
    let to: String?
    let columns: [String: String]
  }

  subscript(_ name: String) -> Resource? { resources.first { $0.name == name } }
}

extension ServerSchema.Resource {
  func column(_ name: String) -> ServerSchema.Column? { columns.first { $0.name == name } }

  /// The columns that a request without `fields` returns.
  var plainColumns: [ServerSchema.Column] {
    fields.map { $0.compactMap(column) } ?? columns.filter { $0.computed != true }
  }

  /// The columns of `*`: all that are stored, and those computed ones that are returned anyway.
  var allColumns: [ServerSchema.Column] {
    columns.filter { $0.computed != true || fields?.contains($0.name) ?? false }
  }

  /// The columns that a record may have where it is written.
  var writtenColumns: [ServerSchema.Column] { typedColumns.filter { !$0.isReadOnly } }

  /// The columns that a record may have where it is read or written.
  var typedColumns: [ServerSchema.Column] { columns + (writeOnly ?? []) }

  /// The columns by which `where` and keys find records.
  var comparableColumns: [ServerSchema.Column] {
    columns.filter { ![.bytes, .json, .array].contains($0.input) }
  }

  /// Whether a new record must have a value in this column.
  ///
  /// A number that is the whole key is taken for one that the database gives.
  func requires(_ column: ServerSchema.Column) -> Bool {
    !column.nullable && column.default == nil && !column.isReadOnly && column.isPreset != true
      && !(key == [column.name] && column.input == .number)
  }
}

extension String {
  /// Whether a declared type has the affinity of integers.
  var isInteger: Bool { uppercased().contains("INT") }
}
