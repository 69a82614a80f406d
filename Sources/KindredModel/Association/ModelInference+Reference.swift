extension ModelInference {
  /// A foreign key from a table A to a table B, with the parts of which the rules build association keys.
  struct Reference {
    let foreignKey: ForeignKey
    /// A.
    let originTable: Table
    let originNames: TableNames
    /// B.
    let destinationTable: Table
    let destinationNames: TableNames
    /// Whether it is the only foreign key from A to B, and A and B are different tables.
    let isOnly: Bool
    /// The stem of its column; of the last column, if the key is composite.
    let stem: String

    /// The preferred association key on A, before conflicts are resolved.
    var key: String { isOnly ? destinationNames.singular : stem }

    /// Whether an association leads back from B: none leads to a view, but for one that stands in for its table.
    var isMutual: Bool { originTable.plainView?.isStandIn ?? true }

    /// Returns the foreign keys of a table in the order of their declaration, without duplicates.
    ///
    /// A plain view whose table is served takes the associations of that instead.
    ///
    /// Foreign keys to missing tables, which only a schema that was not read from a database can have, are left out.
    static func all(from table: Table, in schema: Schema) -> [Reference] {
      guard table.plainView?.table == nil else { return [] }
      var seen: Set<ForeignKey> = []
      let foreignKeys = table.foreignKeys.filter { key in
        schema.tables[key.destination] != nil && key.columns.count == key.destinationColumns.count
          && !key.columns.isEmpty && seen.insert(key).inserted
      }
      let counts = foreignKeys.reduce(into: [:]) { $0[$1.destination, default: 0] += 1 }
      let names = TableNames(table.name)
      return foreignKeys.compactMap { key in
        guard let destination = schema.tables[key.destination],
          let column = key.columns.last, let referenced = key.destinationColumns.last
        else { return nil }
        return Reference(
          foreignKey: key, originTable: table, originNames: names, destinationTable: destination,
          destinationNames: TableNames(destination.name),
          isOnly: counts[key.destination] == 1 && destination.name != table.name,
          stem: Self.stem(of: column, referringTo: referenced))
      }
    }

    /// Returns a column's stem in lowerCamelCase: the name without `Id`, `ID` or `_id`, else without the name of the
    /// referenced column, else the whole name.
    static func stem(of column: String, referringTo referenced: String) -> String {
      for ending in ["Id", "ID", "_id"] where column.hasSuffix(ending) {
        if let stem = stem(column.dropLast(ending.count)) { return stem }
      }
      // `fromCountryCode` and `to_country_code` both refer to `code`: column names are case-insensitive.
      let ending = column.suffix(referenced.count)
      if String(ending).equalsIgnoringCase(referenced), let stem = stem(column.dropLast(ending.count)) {
        return stem
      }
      return column.lowerCamelCased
    }

    /// Returns the rest of a column name in lowerCamelCase; nil if it has no words.
    private static func stem(_ rest: Substring) -> String? {
      let words = IdentifierWords(String(rest)).lowerCamelCaseWords
      return words.isEmpty ? nil : words.joined()
    }

    var belongsToStep: AssociationStep {
      AssociationStep(
        origin: originTable.name, destination: destinationTable.name, originColumns: foreignKey.columns,
        destinationColumns: foreignKey.destinationColumns, direction: .belongsTo,
        isToOne: destinationTable.isUnique(foreignKey.destinationColumns))
    }

    var hasStep: AssociationStep {
      AssociationStep(
        origin: destinationTable.name, destination: originTable.name,
        originColumns: foreignKey.destinationColumns, destinationColumns: foreignKey.columns, direction: .has,
        isToOne: originTable.isUnique(foreignKey.columns))
    }
  }
}
