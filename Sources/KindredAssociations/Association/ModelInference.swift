import OrderedCollections

extension Model {
  /// The resources of a schema, and their associations inferred from its foreign keys.
  public init(inferredFrom schema: Schema) {
    var inference = ModelInference(schema)
    inference.inferResources()
    inference.inferBelongsTo()
    inference.inferHas()
    inference.inferThrough()
    self = inference.model
  }
}

/// The rules of the contract (§1) by which foreign keys become associations.
///
/// What the columns of a table say comes before what other tables say of it: first the belongsTo keys of all tables
/// are given, then the hasMany and hasOne keys, and those through join tables last; in each pass table after table,
/// foreign key after foreign key.
struct ModelInference {
  let schema: Schema
  /// By table.
  private(set) var keys: [String: KeyRegister] = [:]
  private(set) var references: OrderedDictionary<String, [Reference]> = [:]
  private(set) var resourceNames: [String: String] = [:]
  private(set) var model: Model

  init(_ schema: Schema) {
    self.schema = schema
    model = Model(
      resources: [:], tables: schema.tables, warnings: schema.warnings, dialect: schema.dialect)
    for table in schema.tables.values {
      keys[table.name] = KeyRegister(taken: table.columns.map(\.name))
      references[table.name] = Reference.all(from: table, in: schema)
    }
  }

  /// Adds an association under the first free one of `candidates`.
  private mutating func add(
    _ candidates: [String], to table: String, _ cardinality: Association.Cardinality,
    _ steps: [AssociationStep]
  ) {
    guard let resource = resourceNames[table], let last = steps.last,
      let destination = resourceNames[last.destination],
      let key = keys[table]?.claim(candidates)
    else { return }
    model.resources[resource]?.associations[key] = Association(
      key: key, cardinality: cardinality, steps: steps, destination: destination)
  }
}

// MARK: - Resources

extension ModelInference {
  /// Resource name: table name singularised, then pluralised, in lowerCamelCase.
  ///
  /// The first table has the name; a later one that would have the same is called as its table, or where that is
  /// taken too, gets a number.
  mutating func inferResources() {
    var names = KeyRegister(taken: Resource.reservedNames)
    var late: [Table] = []
    for table in schema.tables.values {
      let name = TableNames(table.name).plural
      if names.claimIfFree(name) {
        resourceNames[table.name] = name
      } else {
        late.append(table)
      }
    }
    for table in late {
      let wanted = TableNames(table.name).plural
      let name = names.claim([table.name], numbering: wanted)
      resourceNames[table.name] = name
      model.warnings.append(
        "the table \(table.name) is served as \(name), for \(wanted) is taken; the model file can rename it")
    }
    for table in schema.tables.values {
      guard let name = resourceNames[table.name] else { continue }
      model.resources[name] = Resource(name: name, table: table)
    }
  }
}

// MARK: - Associations

extension ModelInference {
  /// The key on A of a foreign key from A to B.
  mutating func inferBelongsTo() {
    for (table, references) in references {
      var late: [Reference] = []
      for reference in references {
        // The singular of B for the only foreign key from A to B, else the column's stem.
        if keys[table]?.isFree(reference.key) == true {
          add([reference.key], to: table, .toOne, [reference.belongsToStep])
        } else {
          late.append(reference)
        }
      }
      // After the others, so that a clash takes no key that is another's by rule.
      for reference in late {
        let alternative = reference.key + reference.destinationNames.singular.uppercasingFirst
        let clashesWithColumn = reference.originTable.columns.contains { $0.name == reference.key }
        // A key equal to a column name of its own table becomes its destination's singular, or, where that is
        // taken, key + destination, in the order of the foreign keys. Where another key has it, the latter at
        // once, as of a to-many key.
        let candidates = (clashesWithColumn ? [reference.destinationNames.singular] : []) + [alternative]
        add(candidates, to: table, .toOne, [reference.belongsToStep])
      }
    }
  }

  /// The key on B of a foreign key from A to B.
  mutating func inferHas() {
    for reference in references.values.joined() {
      // hasOne where the foreign key columns are unique, keyed by the singular of A; else hasMany, by its plural.
      let isToOne = reference.originTable.isUnique(reference.foreignKey.columns)
      var key = isToOne ? reference.originNames.singular : reference.originNames.plural
      // For one of several foreign keys, or one from A to itself: + `By` + its key. Where the key on A clashes with
      // a column and becomes another, the key on this side keeps the stem.
      if !reference.isOnly { key += "By" + reference.key.uppercasingFirst }
      // A to-many key that is taken becomes key + destination, and so does a hasOne key: it is its destination's
      // singular already.
      let alternative = key + reference.originNames.singular.uppercasingFirst
      add(
        [key, alternative], to: reference.destinationTable.name, isToOne ? .toOne : .toMany,
        [reference.hasStep])
    }
  }

  /// The keys on both ends of a join table.
  mutating func inferThrough() {
    for references in references.values {
      guard let table = references.first?.originTable else { continue }
      for (left, right) in Self.joins(of: table, references) {
        addThrough(table, from: left, to: right)
        addThrough(table, from: right, to: left)
      }
    }
  }

  private mutating func addThrough(_ table: Table, from near: Reference, to far: Reference) {
    let isToItself = near.destinationTable.name == far.destinationTable.name
    // The plural of the other end; a join table from a table to itself uses the plurals of the stems.
    let key = isToItself ? Inflector.plural(far.stem) : far.destinationNames.plural
    // Where that key is taken (in table order), + `Via` + the join table.
    let alternative = key + "Via" + near.originNames.camelCased.uppercasingFirst
    add([key, alternative], to: near.destinationTable.name, .toMany, [near.hasStep, far.belongsToStep])
  }

  /// The pairs of foreign keys that make a join table of `table`.
  ///
  /// A table whose primary key is exactly the columns of two foreign keys is a join table. Neither of them may be
  /// the whole key by itself: such a table extends the record that it refers to, and joins nothing.
  private static func joins(of table: Table, _ references: [Reference]) -> [(Reference, Reference)] {
    let primaryKey = Set(table.primaryKey.map { table.columns[$0].name })
    let parts = references.compactMap { reference in
      let columns = Set(reference.foreignKey.columns)
      return columns.isStrictSubset(of: primaryKey) ? (reference, columns) : nil
    }
    return parts.indices.flatMap { left in
      parts[(left + 1)...].compactMap { right in
        parts[left].1.union(right.1) == primaryKey ? (parts[left].0, right.0) : nil
      }
    }
  }
}
