import KindredSQLSyntax

extension ModelInference {
  /// A foreign key from a table A to a table B, with the parts of which the rules build association keys.
  struct Reference {
    let foreignKey: ForeignKey
    /// The line of the model file that defines it; nil if the schema does.
    let definition: String?
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

    /// The stem of its only column if that ends in `Id`, `ID` or `_id`.
    let identifierStem: String?

    /// The preferred association key on A, before conflicts are resolved.
    var key: String { isOnly ? identifierStem ?? destinationNames.singular : stem }

    /// Whether the preferred key is made of a column.
    var isKeyedByStem: Bool { !isOnly || identifierStem != nil }

    /// The keys on A, in order of preference, if the preferred one is taken.
    ///
    /// A key that another column has becomes the singular of the destination or, if that is taken, key + destination. A
    /// key that another association has becomes key + destination at once.
    var alternatives: [String] {
      let isColumn = originTable.columns.contains(named: key) && !(onlyColumn?.hasBytes(of: key) ?? false)
      let singular = destinationNames.singular
      return (isColumn ? [singular] : []) + [key + singular.uppercasingFirst]
    }

    /// Its column, unless it has several.
    var onlyColumn: String? { foreignKey.columns.count == 1 ? foreignKey.columns[0] : nil }

    /// Whether an association leads back from B: none leads to a view, unless it stands in for its table or the model file
    /// says so.
    var isMutual: Bool {
      originTable.plainView.map { $0.standIn == originTable.name } ?? true || definition != nil
    }

    /// Returns the foreign keys of a table in the order of their declaration, without duplicates.
    ///
    /// A plain view whose table is served takes the associations of that, and has only those of the model file itself.
    ///
    /// Foreign keys to missing tables, which only a schema that was not read from a database can have, are left out.
    static func all(from table: Table, in schema: Schema) -> [Reference] {
      let isTaken = table.plainView?.table != nil
      let references = table.references.filter { key, definition in
        schema.tables[key.destination] != nil && key.columns.count == key.destinationColumns.count
          && !key.columns.isEmpty && (!isTaken || definition != nil)
      }
      let counts = references.reduce(into: [:]) { $0[$1.key.destination, default: 0] += 1 }
      let names = TableNames(table.name)
      return references.compactMap { key, definition in
        guard let destination = schema.tables[key.destination],
          let column = key.columns.last, let referenced = key.destinationColumns.last
        else { return nil }
        return Reference(
          foreignKey: key, definition: definition, originTable: table, originNames: names,
          destinationTable: destination,
          destinationNames: TableNames(destination.name),
          isOnly: counts[key.destination] == 1 && destination.name != table.name,
          stem: Self.stem(of: column, referringTo: referenced),
          identifierStem: key.columns.count == 1 ? Self.identifierStem(of: column) : nil)
      }
    }

    /// Returns a column's stem in lowerCamelCase: the name without `Id`, `ID` or `_id`, else without the name of the
    /// referenced column where that is a word or leaves three letters of one, else the whole name.
    static func stem(of column: String, referringTo referenced: String) -> String {
      if let stem = identifierStem(of: column) { return stem }
      // `fromCountryCode` and `to_country_code` both refer to `code`: column names are case-insensitive.
      let ending = column.suffix(referenced.count)
      if String(ending).equalsIgnoringCase(referenced), isApart(ending, in: column),
        let stem = stem(column.dropLast(ending.count))
      {
        return stem
      }
      return column.lowerCamelCased
    }

    /// Returns a column's name without `Id`, `ID` or `_id`, in lowerCamelCase; nil if it hasn't such an ending, or
    /// nothing else.
    static func identifierStem(of column: String) -> String? {
      ["Id", "ID", "_id"].first { column.hasSuffix($0) }.flatMap { stem(column.dropLast($0.count)) }
    }

    /// Whether an ending of a column's name begins a word (`country_code`) or leaves at least three letters of the one
    /// in which it begins (`userid`, but not `create_uid`).
    private static func isApart(_ ending: Substring, in column: String) -> Bool {
      let word = IdentifierWords(column).words.last { $0.startIndex <= ending.startIndex }
      guard let word, word.startIndex < ending.startIndex, ending.startIndex < word.endIndex else {
        return true
      }
      return column[word.startIndex..<ending.startIndex].count(where: \.isLetter) >= 3
    }

    /// Returns the rest of a column name in lowerCamelCase; nil if it has no words.
    private static func stem(_ rest: Substring) -> String? {
      let words = IdentifierWords(String(rest)).lowerCamelCaseWords
      return words.isEmpty ? nil : words.joined()
    }

    var belongsToStep: AssociationStep {
      AssociationStep(foreignKey, of: originTable, to: destinationTable, .belongsTo)
    }

    var hasStep: AssociationStep { AssociationStep(foreignKey, of: originTable, to: destinationTable, .has) }

    /// Whether its columns are periods at their end, which relate records by overlapping.
    var hasPeriod: Bool { foreignKey.hasPeriod }

    /// Whether its columns are a key of A, checked or not, so that it has at most one record for each of B.
    var isKey: Bool { !hasPeriod && originTable.isIdentified(by: foreignKey.columns) }
  }
}
