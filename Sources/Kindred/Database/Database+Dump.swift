/// Whether the name of a table comes before its rows.
public enum DumpTableHeaderOptions: Sendable, CaseIterable {
  /// If several tables are written.
  case automatic
  /// Always.
  case always
}

extension Database {
  /// Writes the rows of one or more statements.
  ///
  ///     try db.dumpSQL("SELECT * FROM player")
  ///
  /// - Parameters:
  ///   - sql: The statements.
  ///   - format: The form of the rows.
  ///   - stream: Where they are written; standard output by default.
  /// - Throws: `DatabaseError`.
  public func dumpSQL(
    _ sql: SQLLiteral, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    let stream = DumpStream(stream)
    try allStatements(literal: sql).forEach { try dump(Row.fetchCursor($0), format, stream) }
  }

  /// Writes the rows of a request, without its collections.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func dumpRequest(
    _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws { try dump(Row.fetchCursor(self, request), format, DumpStream(stream)) }

  /// Writes the rows of tables and views.
  ///
  /// - Parameters:
  ///   - tables: Their names.
  ///   - format: The form of the rows.
  ///   - tableHeader: Whether the names come before the rows.
  ///   - stableOrder: Whether the rows are ordered by all columns if there is no primary key.
  ///   - stream: Where they are written; standard output by default.
  /// - Throws: `DatabaseError`.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(),
    tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
    to stream: (any TextOutputStream)? = nil
  ) throws {
    let stream = DumpStream(stream)
    let hasHeader = tableHeader == .always || tables.count > 1
    for (index, table) in tables.enumerated() {
      if index > 0 { stream.write("\n") }
      if hasHeader { stream.write(table + "\n") }
      var request = Table<Row>(table).all()
      if try tableExists(table) {
        request = request.orderByPrimaryKey()
      } else if stableOrder {
        request = request.order(try columns(in: table).map { Column($0.name) })
      }
      try dump(Row.fetchCursor(self, request), format, stream)
    }
  }

  /// Writes the schema and the rows of all tables.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpContent(
    format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    let stream = DumpStream(stream)
    try dumpSchema(to: stream)
    let tables = try String.fetchAll(
      self,
      sql: """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        ORDER BY name COLLATE NOCASE
        """)
    guard !tables.isEmpty else { return }
    stream.write("\n")
    try dumpTables(tables, format: format, tableHeader: .always, stableOrder: true, to: stream)
  }

  /// Writes the statements that create the schema.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    let stream = DumpStream(stream)
    stream.write("sqlite_master\n")
    let statements = try String.fetchAll(
      self,
      sql: """
        SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        ORDER BY tbl_name COLLATE NOCASE,
          CASE type WHEN 'table' THEN 'a' WHEN 'index' THEN 'aa' ELSE type END, name COLLATE NOCASE, sql
        """)
    for statement in statements { stream.write(statement + ";\n") }
  }

  // MARK: Implementation

  private func dump(_ rows: RowCursor, _ format: some DumpFormat, _ stream: DumpStream) throws {
    var count = 0
    while let row = try rows.next() {
      if row.columnNames.isEmpty { continue }
      stream.write(try format.text(of: row, number: count))
      count += 1
    }
    let end = format.end(after: count, hasColumns: !rows.layout.columns.isEmpty)
    if !end.isEmpty { stream.write(end) }
  }
}

extension DatabaseReader {
  /// Writes the rows of one or more statements.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpSQL(
    _ sql: SQLLiteral, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws { try unsafeReentrantRead { try $0.dumpSQL(sql, format: format, to: stream) } }

  /// Writes the rows of a request, without its collections.
  ///
  /// - Throws: `AssociationError`, `DatabaseError`.
  public func dumpRequest(
    _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws { try unsafeReentrantRead { try $0.dumpRequest(request, format: format, to: stream) } }

  /// Writes the rows of tables and views.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(),
    tableHeader: DumpTableHeaderOptions = .automatic, stableOrder: Bool = false,
    to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead {
      try $0.dumpTables(
        tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
    }
  }

  /// Writes the schema and the rows of all tables.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpContent(
    format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws { try unsafeReentrantRead { try $0.dumpContent(format: format, to: stream) } }

  /// Writes the statements that create the schema.
  ///
  /// - Throws: `DatabaseError`.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    try unsafeReentrantRead { try $0.dumpSchema(to: stream) }
  }
}

/// The place where text is written.
private final class DumpStream: TextOutputStream {
  private var stream: (any TextOutputStream)?

  init(_ stream: (any TextOutputStream)?) {
    self.stream = stream
  }

  func write(_ text: String) {
    if stream == nil { print(text, terminator: "") } else { stream?.write(text) }
  }
}
