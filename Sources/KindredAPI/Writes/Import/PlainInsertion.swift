import KindredModel
import KindredPlanning
import KindredBackend
import KindredSQLSyntax
import KindredRequests

/// Inserts records that needn't be read back, with prepared statements that are reused for each record.
struct PlainInsertion {
  private let transaction: any WriteTransaction
  private let resource: WrittenResource
  /// The columns that records may contain.
  let columns: [Column]

  /// Returns nil if a record needs more than an insertion.
  init?(_ execution: WriteExecution) {
    let preferences = execution.plan.preferences
    let table = execution.resource.table
    // If the key isn't the rowid, it may turn out to be NULL, which must be checked.
    let needsKey = table.kind != .table || (table.rowIDColumn == nil && table.rowIDName != nil)
    guard !table.columns.contains(where: { $0.missingDefault != nil }), preferences.resolution == nil,
      preferences.content != .representation, !needsKey,
      execution.target.linkage == nil,
      // Access rules require each record to be tested, and records that others may replace to be known.
      !execution.plan.version.model.isRestricted, !table.replacesOnConflict
    else { return nil }
    transaction = execution.transaction
    resource = execution.resource
    columns = resource.writableColumns.filter { !$0.isGenerated || $0.isIdentity }
  }

  /// Returns the statement that inserts values of these columns, in order.
  func statement(of columns: [Column]) throws -> any RecordInsertion {
    try transaction.insertion(of: columns, into: resource.table)
  }

  /// Inserts the record whose values are bound; returns false if a trigger ignores it, and nil if the general path must
  /// find out what is wrong with it.
  ///
  /// - Throws: `Problem`, or the `BackendError` of an earlier record.
  func run(_ statement: any RecordInsertion) throws -> Bool? {
    do {
      return try statement.run()
    } catch let error as any BackendError where error.recordsAfter == nil {
      // The general path names the reference or the value, if the transaction can still be used.
      if error.constraint == .foreignKey || error.isOfValues, transaction.isOpen { return nil }
      throw Problem(refusing: error, changing: resource.resource) ?? error
    }
  }
}

/// Inserts the records of CSV, all of which have the same columns.
struct PlainFields {
  private let insertion: PlainInsertion
  private let statement: any RecordInsertion
  private let columns: [PlainColumn]

  init(_ insertion: PlainInsertion, _ columns: [Column]) throws {
    self.insertion = insertion
    self.columns = columns.map(PlainColumn.init)
    statement = try insertion.statement(of: columns)
  }

  /// Inserts a record; returns false if a trigger ignores it, and nil if the general path must find out what is wrong
  /// with it.
  func insert(_ reader: borrowing CSVReader) throws -> Bool? {
    for index in columns.indices {
      try reader.withField(index) { bytes in
        let field = columns[index]
        if let bytes, field.isNumeric, let number = ShortNumber(bytes) {
          return try statement.bind(number.value(isInteger: field.isInteger), at: index)
        }
        guard let bytes, field.form == .text, !field.isNumeric else {
          let column = field.column
          let value: SQLValue
          do throws(Column.Refusal) {
            value = try column.value(ofField: bytes)
          } catch {
            throw Problem.refusedValue(error.message, at: JSONPointer() + column.name)
          }
          return try statement.bind(value, at: index)
        }
        guard bytes.isUTF8 else {
          let name = field.column.name
          throw Problem.refusedValue(Column.notUTF8(name), at: JSONPointer() + name)
        }
        try statement.bind(text: bytes, at: index)
      }
    }
    return try insertion.run(statement)
  }
}

/// Inserts the records of NDJSON whose lines are flat objects.
struct PlainLines {
  private let insertion: PlainInsertion
  private let columns: [PlainColumn]
  private var object = FlatObject()
  /// The columns of the current line, as indices of `columns`.
  private var places: [Int] = []
  private var statements: [[Int]: any RecordInsertion] = [:]
  /// The statement of the previous line: most lines have the same columns.
  private var latest: (places: [Int], statement: any RecordInsertion)?

  /// The largest number of distinct column lists with a statement; lines with others take the general path.
  private static let maximumStatements = 64

  init(_ insertion: PlainInsertion) {
    self.insertion = insertion
    columns = insertion.columns.map(PlainColumn.init)
  }

  /// Inserts the record of a line; returns false if a trigger ignores it, and nil if the line needs the general path.
  mutating func insert(_ line: [UInt8]) throws -> Bool? {
    try line.withUnsafeBytes { line -> Bool? in
      guard line.isUTF8, object.read(line), findColumns(line), let statement = try statement() else {
        return nil
      }
      for (index, member) in object.members.enumerated() {
        guard try columns[places[index]].bind(member.value, line, to: statement, at: index) else {
          return nil
        }
      }
      return try insertion.run(statement)
    }
  }

  private mutating func findColumns(_ line: UnsafeRawBufferPointer) -> Bool {
    let columns = columns
    places.removeAll(keepingCapacity: true)
    for (index, member) in object.members.enumerated() {
      let name = line[member.name]
      let isNamed = { (place: Int) in columns[place].name.elementsEqual(name) }
      if let expected = latest?.places, index < expected.count, isNamed(expected[index]) {
        places.append(expected[index])
      } else if let place = columns.indices.first(where: isNamed) {
        places.append(place)
      } else {
        return false
      }
    }
    return true
  }

  private mutating func statement() throws -> (any RecordInsertion)? {
    if let latest, latest.places == places { return latest.statement }
    let statement: any RecordInsertion
    if let known = statements[places] {
      statement = known
    } else {
      guard statements.count < Self.maximumStatements, Set(places).count == places.count else { return nil }
      statement = try insertion.statement(of: places.map { columns[$0].column })
      statements[places] = statement
    }
    latest = (places, statement)
    return statement
  }
}

/// The properties of a column that each of its values needs.
private struct PlainColumn {
  let column: Column
  let name: [UInt8]
  /// What a text is to the column.
  let form: Column.FieldForm
  /// Whether a field of digits is a number.
  let isNumeric: Bool
  let isInteger: Bool
  private let takesBooleans: Bool

  init(_ column: Column) {
    self.column = column
    name = Array(column.name.utf8)
    form = column.fieldForm
    isNumeric = form == .text && column.affinity.isNumeric
    isInteger = column.affinity == .integer
    takesBooleans = column.takesBooleans
  }

  /// Binds a value as `Column.value(of:in:)` converts it; returns false if that function must be called instead.
  func bind(
    _ value: FlatObject.Value, _ line: UnsafeRawBufferPointer, to statement: any RecordInsertion,
    at index: Int
  ) throws -> Bool {
    guard form != .json, !column.isComposed else { return false }
    switch value {
    case .null: try statement.bind(.null, at: index)
    case .short(let number): try statement.bind(number.value(isInteger: isInteger), at: index)
    case .number(let range):
      guard let value = try? column.value(ofNumber: String(decoding: line[range], as: UTF8.self)) else {
        return false
      }
      try statement.bind(value, at: index)
    case .text(let range):
      guard form == .text, !isInteger else { return false }
      try statement.bind(text: UnsafeRawBufferPointer(rebasing: line[range]), at: index)
    case .boolean(let value):
      guard takesBooleans else { return false }
      try statement.bind(.integer(value ? 1 : 0), at: index)
    }
    return true
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8.
  ///
  /// Most are ASCII, which is checked first.
  fileprivate var isUTF8: Bool {
    allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
  }
}

extension Column {
  /// How fields that have no types, such as those of CSV, are stored, and what a text of NDJSON is to the column.
  enum FieldForm: Sendable {
    /// As a number or a text, which the database converts to the column's type.
    case text
    /// `true` and `false` as 1 and 0.
    case boolean
    /// Bytes in base64.
    case base64
    /// Any JSON.
    case json
  }

  /// The format in which a field of this column is read and written.
  var fieldForm: FieldForm {
    switch valueFormat {
    // The database reads its text.
    case .json where document.map { $0.writing == nil } ?? false: .text
    case .json, .part: .json
    case .boolean: .boolean
    case .plain where isComposed: .json
    case .plain: takesBase64 ? .base64 : .text
    }
  }

  fileprivate static func notUTF8(_ name: String) -> String {
    "`\(name)` is not UTF-8; convert the file first, as `iconv -f latin1 -t utf-8` does"
  }

  /// Returns what is stored for a field; nil stands for NULL.
  ///
  /// - Throws: `Refusal` if the column doesn't accept the value.
  func value(ofField bytes: UnsafeRawBufferPointer?) throws(Refusal) -> SQLValue {
    guard let bytes else { return .null }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal(message: Self.notUTF8(name))
    }
    switch fieldForm {
    case .text, .boolean: return try value(ofUntypedText: text)
    case .base64: return try value(ofText: text)
    case .json:
      guard let document = try? JSONDocumentParser.parse(Array(bytes)) else {
        throw Refusal(message: "`\(name)` must be JSON")
      }
      return try value(of: document.root, in: document)
    }
  }
}
