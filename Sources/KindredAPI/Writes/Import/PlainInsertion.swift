import KindredAssociations
import KindredBackend
import KindredSQLSyntax

/// The insertion of records about which nothing has to be known afterwards, by statements that are bound anew for each.
struct PlainInsertion {
  private let transaction: any WriteTransaction
  private let resource: Resource
  /// The columns that records may name.
  let columns: [Column]

  /// Nil where more than an insertion is to be done for each record.
  init?(_ execution: WriteExecution) {
    let preferences = execution.plan.preferences
    let table = execution.resource.table
    // Where the key isn't the rowid, it may come out as NULL.
    let needsKey = table.kind != .table || (table.rowIDColumn == nil && table.rowIDName != nil)
    guard preferences.resolution == nil, preferences.content != .representation, !needsKey,
      execution.target.linkage == nil,
      // Under rules of access each record is tested.
      execution.resource.permissions == nil
    else { return nil }
    transaction = execution.transaction
    resource = execution.resource
    columns = execution.plan.version.model.writableColumns(of: resource).filter { !$0.isGenerated }
  }

  /// The statement that inserts values of these columns, in their order.
  func statement(of columns: [Column]) throws -> any RecordInsertion {
    try transaction.insertion(of: columns, into: resource.table)
  }

  /// Adds the record whose values are bound; false where a trigger ignores it.
  func run(_ statement: any RecordInsertion) throws -> Bool {
    do {
      return try statement.run()
    } catch let error as any BackendError {
      throw Problem(refusing: error, changing: resource) ?? error
    }
  }
}

/// The plain insertion of the records of CSV, all of which have the same columns.
struct PlainFields {
  private let insertion: PlainInsertion
  private let statement: any RecordInsertion
  private let columns: [(column: Column, isText: Bool)]

  init(_ insertion: PlainInsertion, _ columns: [Column]) throws {
    self.insertion = insertion
    self.columns = columns.map { ($0, $0.fieldForm == .text) }
    statement = try insertion.statement(of: columns)
  }

  /// Adds a record; false where a trigger ignores it.
  func insert(_ reader: borrowing CSVReader) throws -> Bool {
    for index in columns.indices {
      try reader.withField(index) { bytes in
        guard let bytes, columns[index].isText else {
          let column = columns[index].column
          let value: SQLValue
          do throws(Column.Refusal) {
            value = try column.value(ofField: bytes)
          } catch {
            throw Problem.refusedValue(error.message, at: JSONPointer() + column.name)
          }
          return try statement.bind(value, at: index)
        }
        guard bytes.isUTF8 else {
          let name = columns[index].column.name
          throw Problem.refusedValue("`\(name)` is not UTF-8", at: JSONPointer() + name)
        }
        try statement.bind(text: bytes, at: index)
      }
    }
    return try insertion.run(statement)
  }
}

/// The plain insertion of the records of NDJSON whose lines are flat and ordinary.
struct PlainLines {
  private let insertion: PlainInsertion
  private let columns: [PlainColumn]
  private var object = FlatObject()
  /// The columns of the line that was read last, by their places among all.
  private var places: [Int] = []
  private var statements: [[Int]: any RecordInsertion] = [:]
  /// The statement of the line before, whose columns the next one mostly has too.
  private var latest: (places: [Int], statement: any RecordInsertion)?

  /// Lines that name other columns than this many kinds before are read like any.
  private static let maximumStatements = 64

  init(_ insertion: PlainInsertion) {
    self.insertion = insertion
    columns = insertion.columns.map(PlainColumn.init)
  }

  /// Adds the record of a line; false where a trigger ignores it, nil where the line needs a closer look.
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

/// What is to be known of a column for each of its values.
private struct PlainColumn {
  let column: Column
  let name: [UInt8]
  private let isJSON: Bool
  private let takesBase64: Bool
  private let takesBooleans: Bool

  init(_ column: Column) {
    self.column = column
    name = Array(column.name.utf8)
    isJSON = column.valueFormat == .json
    takesBase64 = column.takesBase64
    takesBooleans = column.takesBooleans
  }

  /// Binds a value as `Column.value(of:in:)` gives it; false where that has to be asked.
  func bind(
    _ value: FlatObject.Value, _ line: UnsafeRawBufferPointer, to statement: any RecordInsertion,
    at index: Int
  ) throws -> Bool {
    guard !isJSON else { return false }
    switch value {
    case .null: try statement.bind(.null, at: index)
    case .integer(let value): try statement.bind(.integer(value), at: index)
    case .real(let value): try statement.bind(.real(value), at: index)
    case .number(let range):
      guard let value = try? column.value(ofNumber: String(decoding: line[range], as: UTF8.self)) else {
        return false
      }
      try statement.bind(value, at: index)
    case .text(let range):
      guard !takesBase64 else { return false }
      try statement.bind(text: UnsafeRawBufferPointer(rebasing: line[range]), at: index)
    case .boolean(let value):
      guard takesBooleans else { return false }
      try statement.bind(.integer(value ? 1 : 0), at: index)
    }
    return true
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are UTF-8; mostly they are ASCII, which needs no closer look.
  fileprivate var isUTF8: Bool {
    allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
  }
}
