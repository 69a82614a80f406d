import KindredSQLSyntax

extension ModelInference {
  /// Two foreign keys by which a table links the records of two others.
  private struct Join {
    let left: Reference
    let right: Reference
    /// Whether their columns are the primary key.
    let isPrimaryKey: Bool
  }

  /// Adds the hasManyThrough associations on both sides of each join table.
  ///
  /// Join tables whose primary key the link is take their keys first.
  mutating func inferThrough() {
    let joins = references.values.flatMap { references in
      references.allSatisfy(\.isMutual) ? Self.joins(by: references) : []
    }
    for join in joins.filter(\.isPrimaryKey) + joins.filter({ !$0.isPrimaryKey }) {
      addThrough(from: join.left, to: join.right)
      addThrough(from: join.right, to: join.left)
    }
  }

  private mutating func addThrough(from near: Reference, to far: Reference) {
    let isToItself = near.destinationTable.name.hasBytes(of: far.destinationTable.name)
    // The plural of the other side, or that of the stem if both sides are the same table.
    let key = isToItself ? Inflector.plural(far.stem) : far.destinationNames.plural
    // If that key is taken, `Via` and the name of the join table are appended.
    let alternative = key + "Via" + near.originNames.camelCased.uppercasingFirst
    let definitions = Set([near.definition, far.definition].compactMap(\.self)).sorted()
    add(
      [key, alternative], to: near.destinationTable.name, .toMany, [near.hasStep, far.belongsToStep],
      definedAt: definitions.isEmpty ? nil : definitions.joined(separator: ", "))
  }

  /// Returns the pairs of a table's foreign keys that make it a join table: their columns together are a unique key, or
  /// they are its only foreign keys and it has no columns but theirs and its primary key.
  ///
  /// A foreign key whose columns are unique, or all among the other's, extends the record that it refers to, and one to
  /// the table itself makes a tree.
  private static func joins(by references: [Reference]) -> [Join] {
    guard references.count > 1, let table = references.first?.originTable else { return [] }
    let links = references.compactMap { reference in
      let columns = NameSet(reference.foreignKey.columns)
      let isToItself = reference.destinationTable.name.hasBytes(of: table.name)
      return isToItself || reference.isKey || reference.hasPeriod ? nil : (reference, columns)
    }
    let primaryKey = NameSet(table.primaryKey.map { table.columns[$0].name })
    let uniqueKeys = table.uniqueKeys.map { NameSet($0.map { table.columns[$0].name }) }
    return links.indices.flatMap { left in
      links[(left + 1)...].compactMap { right in
        let left = links[left]
        var both = left.1
        both.formUnion(right.1)
        guard both != left.1, both != right.1 else { return nil }
        let isPrimaryKey = both == primaryKey
        let isAlone =
          references.count == 2
          && table.columns.allSatisfy { both.contains($0.name) || primaryKey.contains($0.name) }
        guard isPrimaryKey || isAlone || uniqueKeys.contains(both) else { return nil }
        return Join(left: left.0, right: right.0, isPrimaryKey: isPrimaryKey)
      }
    }
  }
}
