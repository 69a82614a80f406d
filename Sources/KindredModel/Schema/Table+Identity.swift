import KindredSQLSyntax

/// The identity of a record, for each purpose:
///
/// | columns | |
/// |---|---|
/// | `primaryKey` | as the schema declares it, which may hold NULL |
/// | `identity` | never NULL; empty if nothing is |
/// | `distinguishingColumns` | all, if nothing else tells records apart |
/// | `orderingColumns` | make an order total, beginning with the primary key |
/// | `pointerColumns` | find a stored record again; empty if nothing does |
/// | `locatorColumns` | find a record to be changed |
extension Table {
  /// The columns that identify a record and are never NULL; empty if there are none.
  ///
  /// That is the primary key or, if the key may hold NULL, the rowid: SQLite allows NULL in most primary keys
  /// (<https://www.sqlite.org/lang_createtable.html#the_primary_key>), and any number of records may have it, as no two
  /// NULLs are equal. Also if the key has another collation than its columns, so that these don't tell its values apart,
  /// and if nothing checks that it is unique.
  public var identity: [Column] {
    guard !isKeyPartial else { return [] }
    let key = primaryKey.map { columns[$0] }
    guard isKeyUnchecked || key.contains(where: { $0.isNullable || $0.keyCollation != nil }),
      key.map(\.name) != [rowIDColumn]
    else { return key }
    guard let rowIDName else { return isKeyUnchecked ? [] : key }
    return [Column(name: rowIDName, declaredType: "INTEGER", isNullable: false)]
  }

  /// The columns that tell records apart: the identity, or all columns if there is none.
  package var distinguishingColumns: [Column] {
    let identity = identity
    return identity.isEmpty ? columns : identity
  }

  /// The columns that make an order total: the primary key, and the columns that distinguish records whose key is NULL;
  /// all columns if there is no key.
  package var orderingColumns: [Column] {
    let key = primaryKey.map { columns[$0] }
    return key + distinguishingColumns.filter { !key.contains($0) }
  }

  /// Whether these columns include the primary key, checked or not, or another key of the table.
  public func isIdentified(by names: [String]) -> Bool {
    let key = primaryKey.map { columns[$0].name }
    return isUnique(names) || !key.isEmpty && key.allSatisfy(names.contains)
  }

  /// The names of the columns by which a stored record is found again; empty for common table expressions, and for
  /// views that don't show the key of a table.
  public var pointerColumns: [String] {
    switch kind {
    case .commonTableExpression, .ofRequest: []
    case .view: plainView == nil ? [] : identity.map(\.name)
    case .table, .virtual: rowIDName.map { [$0] } ?? primaryKey.map { columns[$0].name }
    }
  }

  /// The names of the columns by which a record to be changed is found: the rowid if there is one, else the key.
  public var locatorColumns: [String] {
    pointerColumns.isEmpty ? primaryKey.map { columns[$0].name } : pointerColumns
  }
}

extension Table {
  /// Returns a column of the only table of a statement in a form that is compared as in the primary key.
  package func keyColumn(_ name: String) -> SQL {
    column(named: name).map { $0.comparedAsKey("\(identifier: name)") } ?? "\(identifier: name)"
  }

  /// Returns a column of a record of the table in a form that is compared as in the primary key.
  package func keyColumn(_ name: String, of record: RecordID) -> SQL {
    let sql = SQL.column(record, name)
    return column(named: name).map { $0.comparedAsKey(sql) } ?? sql
  }
}

extension Column {
  /// Returns the column in a form that is compared as in the primary key.
  package func comparedAsKey(_ sql: SQL) -> SQL {
    keyCollation.map { "\(sql) COLLATE \(identifier: $0)" } ?? sql
  }
}

extension Table {
  /// Whether a unique index serves as the primary key, since the schema declares none.
  package var isKeyChosen: Bool { isKeyless && rowIDName == nil && !primaryKey.isEmpty }

  /// Returns a view, or a table without a declared key, with the key that the model file gives it.
  ///
  /// A table loses its `rowid` column. Unless an index checks that the key is unique, it finds records but doesn't
  /// identify them.
  ///
  /// - Parameter key: The names of the columns.
  package func identified(byGiven key: [String]) -> Table {
    guard isKeyless else { return identified(by: positions(of: key)) }
    var table = self
    if rowIDName != nil, primaryKey == [0], columns.first?.name == rowIDName {
      table.columns.removeFirst()
      table.uniqueKeys = uniqueKeys.filter { !$0.contains(0) }.map { $0.map { $0 - 1 } }
      table.indexes.removeAll { $0.columns == [rowIDName] }
      table.rowIDColumn = nil
    }
    table.primaryKey = table.positions(of: key)
    table.isKeyUnchecked = !table.isUnique(key)
    // Any number of records may have NULL in a unique key, and only a rowid tells these apart.
    table.isKeyPartial = rowIDName == nil && table.primaryKey.contains { table.columns[$0].isNullable }
    return table
  }

  private func positions(of names: [String]) -> [Int] {
    names.compactMap { name in columns.firstIndex { $0.name.hasBytes(of: name) } }
  }
}
