/// The keys that docs/model.md has as inferred, for the regular nouns of these schemas.
extension DatabaseSchema {
  /// Adds the associations of every table: first belongsTo, then hasMany and hasOne, then those through join
  /// tables.
  mutating func inferAssociations() {
    for number in tables.indices {
      tables[number].associations = []
      let table = tables[number]
      for (index, foreignKey) in table.foreignKeys.enumerated() {
        let key = isOnly(foreignKey, of: table) ? foreignKey.destination : foreignKey.stem
        tables[number].foreignKeys[index].key = key
        add(key, to: table.name, [belongsTo(foreignKey, of: table)])
      }
    }
    for table in tables {
      for foreignKey in table.foreignKeys { inferHas(foreignKey, of: table) }
    }
    for table in tables { inferThrough(table) }
  }

  private func isOnly(_ foreignKey: ForeignKeySchema, of table: TableSchema) -> Bool {
    foreignKey.destination != table.name
      && table.foreignKeys.filter { $0.destination == foreignKey.destination }.count == 1
  }

  private mutating func inferHas(_ foreignKey: ForeignKeySchema, of table: TableSchema) {
    var key = table.isUnique(foreignKey.columns) ? table.name : table.plural
    if !isOnly(foreignKey, of: table) { key += "By" + foreignKey.key.capitalizedFirst }
    if self.table(foreignKey.destination)?.association(key) != nil { key += table.name.capitalizedFirst }
    add(key, to: foreignKey.destination, [has(foreignKey, of: table)])
  }

  private mutating func inferThrough(_ table: TableSchema) {
    guard table.foreignKeys.count >= 2 else { return }
    for left in table.foreignKeys.indices {
      for right in table.foreignKeys.indices where right > left {
        let (first, second) = (table.foreignKeys[left], table.foreignKeys[right])
        let parts = [Set(first.columns), Set(second.columns)]
        guard parts[0].union(parts[1]) == Set(table.primaryKey),
          parts.allSatisfy({ $0.count < table.primaryKey.count })
        else { continue }
        for (near, far) in [(first, second), (second, first)] {
          let isToItself = near.destination == far.destination
          var key = (isToItself ? far.stem : far.destination) + "s"
          if self.table(near.destination)?.association(key) != nil {
            key += "Via" + table.name.capitalizedFirst
          }
          add(key, to: near.destination, [has(near, of: table), belongsTo(far, of: table)])
        }
      }
    }
  }

  private mutating func add(_ key: String, to table: String, _ steps: [AssociationSchema.Step]) {
    guard let number = tables.firstIndex(where: { $0.name == table }) else { return }
    tables[number].associations.append(
      AssociationSchema(
        key: key, isToMany: !steps.allSatisfy(\.isToOne), steps: steps,
        destination: steps[steps.count - 1].destination))
  }

  private func belongsTo(_ key: ForeignKeySchema, of table: TableSchema) -> AssociationSchema.Step {
    AssociationSchema.Step(
      origin: table.name, destination: key.destination, originColumns: key.columns,
      destinationColumns: key.destinationColumns, isBelongsTo: true, isToOne: true)
  }

  private func has(_ key: ForeignKeySchema, of table: TableSchema) -> AssociationSchema.Step {
    AssociationSchema.Step(
      origin: key.destination, destination: table.name, originColumns: key.destinationColumns,
      destinationColumns: key.columns, isBelongsTo: false, isToOne: table.isUnique(key.columns))
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
