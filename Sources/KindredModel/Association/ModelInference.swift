import KindredSQLSyntax

extension Model {
  /// Creates the model of a schema, with associations inferred from its foreign keys.
  public init(inferredFrom schema: Schema) {
    var inference = ModelInference(schema)
    inference.inferResources()
    inference.inferBelongsTo()
    inference.inferHas()
    inference.inferThrough()
    inference.inferPlainViews()
    self = inference.model
  }
}

/// Infers the associations of a schema from its foreign keys.
///
/// Keys are assigned in three passes, each in the order of tables and foreign keys: belongsTo first, then hasMany and
/// hasOne, and finally those through join tables. So a table's own columns take precedence over references to it.
/// Plain views then get the associations of their tables.
struct ModelInference {
  let schema: Schema
  /// The names in use, by table.
  private(set) var keys: NameDictionary<KeyRegister> = [:]
  private(set) var references: NameDictionary<[Reference]> = [:]
  private(set) var resourceNames: NameDictionary<String> = [:]
  private(set) var model: Model

  init(_ schema: Schema) {
    self.schema = schema
    model = Model(
      resources: [:], tables: schema.tables, warnings: schema.warnings)
    for table in schema.tables.values {
      keys[table.name] = KeyRegister(taken: table.columns.map(\.name))
      references[table.name] = Reference.all(from: table, in: schema)
    }
  }

  /// Adds an association under the first free one of `candidates`.
  mutating func add(
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
  /// Names each resource after its table: singularised, then pluralised, in lowerCamelCase.
  ///
  /// Of several tables with the same resource name, the first one gets it. The others keep the table's name or, if
  /// that is taken too, get a number.
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
        "the table \(table.name) is served as \(name), because \(wanted) is taken; the model file can rename it"
      )
    }
    for table in schema.tables.values {
      guard let name = resourceNames[table.name] else { continue }
      var resource = Resource(name: name, table: table)
      if let vector = table.fullText?.vector {
        // The words of a record are for searches, and shown only on request.
        resource.fields = table.columns.map(\.name).filter { $0 != vector }
      }
      model.resources[name] = resource
    }
  }
}

// MARK: - Associations

extension ModelInference {
  /// Adds the belongsTo association on A for each foreign key from A to B.
  mutating func inferBelongsTo() {
    for (table, references) in references {
      var late: [Reference] = []
      for reference in references {
        if keys[table]?.isFree(reference.key) == true {
          add([reference.key], to: table, .toOne, [reference.belongsToStep])
        } else {
          late.append(reference)
        }
      }
      // Resolved after the others, so that a fallback never takes a key that another one gets by rule.
      for reference in late {
        let alternative = reference.key + reference.destinationNames.singular.uppercasingFirst
        let clashesWithColumn = reference.originTable.columns.contains(named: reference.key)
        // A key that equals a column of its own table becomes the singular of its destination or, if that is taken,
        // key + destination. A key that another association has becomes key + destination at once.
        let candidates = (clashesWithColumn ? [reference.destinationNames.singular] : []) + [alternative]
        add(candidates, to: table, .toOne, [reference.belongsToStep])
      }
    }
  }

  /// Adds the hasMany or hasOne association on B for each foreign key from A to B.
  mutating func inferHas() {
    for reference in references.values.joined() where reference.isMutual {
      // hasOne, with the singular of A, if the foreign key columns are unique; else hasMany, with the plural.
      let isToOne = reference.originTable.isUnique(reference.foreignKey.columns)
      var key = isToOne ? reference.originNames.singular : reference.originNames.plural
      // One of several foreign keys, or one from A to itself, appends `By` and its key. The stem is used even where
      // the key on A was changed because it equals a column.
      if !reference.isOnly { key += "By" + reference.key.uppercasingFirst }
      // If the key is taken, it becomes key + destination. That applies to hasOne too, whose key is the singular of its
      // destination already.
      let alternative = key + reference.originNames.singular.uppercasingFirst
      add(
        [key, alternative], to: reference.destinationTable.name, isToOne ? .toOne : .toMany,
        [reference.hasStep])
    }
  }

  /// Adds the hasManyThrough associations on both sides of each join table.
  mutating func inferThrough() {
    for references in references.values {
      guard let table = references.first?.originTable, references.allSatisfy(\.isMutual) else { continue }
      for (left, right) in Self.joins(of: table, references) {
        addThrough(table, from: left, to: right)
        addThrough(table, from: right, to: left)
      }
    }
  }

  private mutating func addThrough(_ table: Table, from near: Reference, to far: Reference) {
    let isToItself = near.destinationTable.name.hasBytes(of: far.destinationTable.name)
    // The plural of the other side, or that of the stem if both sides are the same table.
    let key = isToItself ? Inflector.plural(far.stem) : far.destinationNames.plural
    // If that key is taken, `Via` and the name of the join table are appended.
    let alternative = key + "Via" + near.originNames.camelCased.uppercasingFirst
    add([key, alternative], to: near.destinationTable.name, .toMany, [near.hasStep, far.belongsToStep])
  }

  /// Returns the pairs of foreign keys that make `table` a join table: those whose columns are exactly its primary key.
  ///
  /// Neither of the two may be the whole primary key by itself: such a table extends the record that it refers to, and
  /// joins nothing.
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
