import OracleValues

extension DatabaseSchema {
  /// Sets references that find no record to NULL, or removes their rows if the references are part of the key.
  ///
  /// SQLite counts violations: a statement that removes a reference to nothing may make another one
  /// (<https://www.sqlite.org/foreignkeys.html#fk_deferred>).
  mutating func mendReferences() {
    var isMended = false
    while !isMended {
      isMended = true
      for number in tables.indices {
        for key in tables[number].foreignKeys {
          let positions = key.columns.compactMap { tables[number].position(of: $0) }
          let isOfKey = !Set(tables[number].primaryKey).isDisjoint(with: key.columns)
          for row in tables[number].rows.indices.reversed() {
            let values = positions.map { tables[number].rows[row][$0] }
            guard !values.contains(.null), !finds(values, key) else { continue }
            isMended = false
            if isOfKey {
              tables[number].rows.remove(at: row)
            } else {
              for position in positions { tables[number].rows[row][position] = .null }
            }
          }
        }
      }
    }
  }

  private func finds(_ values: [Value], _ key: ForeignKeySchema) -> Bool {
    guard let destination = table(key.destination) else { return false }
    let positions = key.destinationColumns.compactMap { destination.position(of: $0) }
    return destination.rows.contains { row in
      zip(positions, values).allSatisfy { Value.isEqualKey(row[$0], $1) }
    }
  }
}
