extension Table {
  /// The columns that tell a record from all others, none of which is NULL; empty where there are none.
  ///
  /// The primary key, unless it may hold NULL, as SQLite lets most keys do
  /// (<https://www.sqlite.org/lang_createtable.html#the_primary_key>): NULL is no other NULL's equal, so any number of
  /// records may have it. These are told apart by the rowid.
  public var identity: [Column] {
    let key = primaryKey.map { columns[$0] }
    guard let rowIDName, key.contains(where: \.isNullable), key.map(\.name) != [rowIDColumn] else {
      return key
    }
    return [Column(name: rowIDName, declaredType: "INTEGER", isNullable: false)]
  }

  /// The columns that find a record again; empty for views and common table expressions.
  public var pointerColumns: [String] {
    switch kind {
    case .view, .commonTableExpression, .ofRequest: []
    case .table, .virtual: rowIDName.map { [$0] } ?? primaryKey.map { columns[$0].name }
    }
  }
}
