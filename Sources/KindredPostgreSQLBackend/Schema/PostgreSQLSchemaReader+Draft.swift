import KindredModel

extension PostgreSQLSchemaReader {
  /// A table while it is being read.
  struct Draft {
    /// The OID of the table.
    let id: Int64
    let name: String
    /// The `relkind` of the table: `r`, `p`, `v`, `m` or `f`.
    let kind: String
    /// The result of `pg_relation_is_updatable`.
    let updates: Int64
    let schema: String?
    /// The name in its schema.
    let relation: String
    /// Whether it is served; else it is read for a view that shows it.
    let isServed: Bool
    /// Whether no trigger takes the place of changes.
    let writesThrough: Bool
    /// Whether its rows are also those of other tables, from which it inherits or which inherit from it.
    let sharesRows: Bool
    let comment: String?
    /// What the columns of a view of one table show; nil for other tables and views.
    let targets: ViewTargets?
    let hasTriggers: Bool
    /// What the columns of any view show; nil for tables.
    let shown: ViewTargets?
    var columns: [Column] = []
    /// The numbers of the columns.
    var numbers: [Int64] = []
    /// The numbers of the columns that a generated `tsvector` reads, by its name.
    var indexed: [String: [Int64]] = [:]
    /// The search configurations of the `tsvector` columns, by their names.
    var configurations: [String: String] = [:]
    var primaryKey: [Int] = []
    var uniqueKeys: [[Int]] = []
    /// The names of the indexes of the unique keys.
    var keyNames: [String] = []
    /// Whether the primary key is declared.
    var isKeyDeclared = false
    /// A warning that names the unique index that serves as the primary key; nil if there was no choice.
    var choice: String?
    var indexes: [Index] = []
    var partialIndexes: [Index] = []
    var foreignKeys: [ForeignKey] = []
    /// The foreign keys with a PERIOD.
    var temporalForeignKeys: [ForeignKey] = []
    /// The columns of foreign keys to tables that aren't served.
    var unservedReferences: [[String]] = []
    /// Whether its rows depend on the database alone.
    var isTimeless = true
    var distribution: Distribution?

    mutating func add(_ index: Index, named name: String, isPrimary: Bool) {
      indexes.append(index)
      let key = index.columns.compactMap { name in columns.firstIndex { $0.name == name } }
      guard index.isUnique, key.count == index.columns.count else { return }
      uniqueKeys.append(key)
      keyNames.append(name)
      if isPrimary { (primaryKey, isKeyDeclared) = (key, true) }
    }

    /// Adds an index of the records that meet a condition, if that consists of tests for NULL.
    mutating func addPartialIndex(
      _ columns: [String?], _ orders: [Index.Order]?, where condition: String
    ) {
      let tokens = SQLTokens.all(in: condition, .postgreSQL)
      let tests = Index.NullTest.all(in: tokens) { name in
        self.columns.contains { $0.name == name } ? name : nil
      }
      guard let tests else { return }
      partialIndexes.append(Index(columns: columns, orders: orders, tests: tests))
    }

    /// Makes a unique index the primary key, if none is declared: the one with the fewest columns, of those the first by
    /// name, whatever the order in which they were created.
    ///
    /// None of the columns may be NULL, except in a materialized view, whose columns are never NOT NULL.
    mutating func chooseKey() {
      guard !isKeyDeclared, kind != "v" else { return }
      let candidates = uniqueKeys.indices.filter { number in
        kind == "m" || uniqueKeys[number].allSatisfy { !columns[$0].isNullable }
      }
      let chosen = candidates.min {
        (uniqueKeys[$0].count, keyNames[$0]) < (uniqueKeys[$1].count, keyNames[$1])
      }
      guard let chosen else { return }
      primaryKey = uniqueKeys[chosen]
      guard candidates.count > 1 else { return }
      choice =
        "the table \(name) has no primary key; its unique index \(keyNames[chosen]) (\(primaryKey.map { columns[$0].name }.joined(separator: ", "))) serves as the key; the model file can name another"
    }

    var table: Table {
      // Without a key, records can be read and changed like those of a view.
      let isTable = ["r", "p", "f"].contains(kind) && !primaryKey.isEmpty
      let columns = columnsWithIndexed
      var table = Table(
        name: name, kind: isTable ? .table : .view, columns: columns, primaryKey: primaryKey,
        uniqueKeys: uniqueKeys, indexes: indexes, foreignKeys: foreignKeys, fullText: fullText,
        insteadOf: isTable ? [] : changes)
      (table.schema, table.relation, table.comment) = (schema, relation, comment)
      table.partialIndexes = partialIndexes
      table.isCaseSensitive = true
      table.isTimeless = isTimeless
      table.hasTriggers = hasTriggers
      table.distribution = distribution
      table.isKeyPartial = kind == "m"
      table.sharesRows = sharesRows
      table.unservedReferences = unservedReferences
      table.temporalForeignKeys = temporalForeignKeys
      table.isKeyless = ["r", "p", "f"].contains(kind) && !isKeyDeclared
      return table
    }

    /// The columns, with the columns that each `tsvector` indexes: what its generation expression reads, or any, if a
    /// trigger or a query fills it.
    private var columnsWithIndexed: [Column] {
      columns.map { column in
        guard column.declaredType == "tsvector" else { return column }
        var vector = column
        let others = columns.map(\.name).filter { $0 != column.name }
        vector.indexedColumns =
          indexed[column.name].map { read in
            zip(numbers, columns).filter { read.contains($0.0) }.map(\.1.name)
          }
          ?? others
        vector.searchConfiguration = configurations[column.name]
        return vector
      }
    }

    /// The full-text index of the only `tsvector` column; nil if there is none, or several.
    private var fullText: FullText? {
      let vectors = columnsWithIndexed.filter { $0.indexedColumns != nil }
      guard vectors.count == 1 else { return nil }
      var index = FullText(vector: vectors[0].name, of: name, columns: vectors[0].indexedColumns ?? [])
      index.configuration = vectors[0].searchConfiguration
      return index
    }

    /// The changes that are allowed: bits by the numbers of `CMD_UPDATE`, `CMD_INSERT` and `CMD_DELETE`.
    private var changes: Table.Changes {
      var changes: Table.Changes = []
      if updates & 1 << 2 != 0 { changes.insert(.update) }
      if updates & 1 << 3 != 0 { changes.insert(.insert) }
      if updates & 1 << 4 != 0 { changes.insert(.delete) }
      return changes
    }
  }
}

extension Index.Order {
  /// Creates the order of the bits of `pg_index.indoption`: `INDOPTION_DESC` and `INDOPTION_NULLS_FIRST`.
  init(indexOption bits: Int64) { self.init(isDescending: bits & 1 != 0, nullsComeFirst: bits & 2 != 0) }
}
