extension Table {
  /// The columns that identify a record and are never NULL; empty if there are none.
  ///
  /// That is the primary key or, if the key may hold NULL, the rowid: SQLite allows NULL in most primary keys
  /// (<https://www.sqlite.org/lang_createtable.html#the_primary_key>), and any number of records may have it, as no two
  /// NULLs are equal.
  public var identity: [Column] {
    let key = primaryKey.map { columns[$0] }
    guard let rowIDName, key.contains(where: \.isNullable), key.map(\.name) != [rowIDColumn] else {
      return key
    }
    return [Column(name: rowIDName, declaredType: "INTEGER", isNullable: false)]
  }

  /// The names of the columns by which a stored record is found again; empty for views and common table expressions.
  public var pointerColumns: [String] {
    switch kind {
    case .view, .commonTableExpression, .ofRequest: []
    case .table, .virtual: rowIDName.map { [$0] } ?? primaryKey.map { columns[$0].name }
    }
  }
}
