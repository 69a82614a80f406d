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
    model.searchConfigurations = schema.searchConfigurations
    for table in schema.tables.values {
      keys[table.name] = KeyRegister(taken: table.columns.map(\.name))
      references[table.name] = Reference.all(from: table, in: schema)
    }
  }

  /// Adds an association under the first free one of `candidates`.
  ///
  /// - Parameter definition: The line of the model file that defines its foreign key; nil if the schema does.
  mutating func add(
    _ candidates: [String], to table: String, _ cardinality: Association.Cardinality,
    _ steps: [AssociationStep], definedAt definition: String?
  ) {
    guard let key = keys[table]?.claim(candidates, over: steps.onlyReferringColumn) else { return }
    add(key, to: table, cardinality, steps, definedAt: definition)
  }

  /// Adds an association under a key that has been claimed.
  private mutating func add(
    _ key: String, to table: String, _ cardinality: Association.Cardinality, _ steps: [AssociationStep],
    definedAt definition: String?
  ) {
    guard let resource = resourceNames[table], let last = steps.last,
      let destination = resourceNames[last.destination]
    else { return }
    var association = Association(key: key, cardinality: cardinality, steps: steps, destination: destination)
    association.definition = definition
    model.resources[resource]?.associations[key] = association
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
    for table in schema.tables.values where table.isCommonTableExpression {
      // The model file names it.
      resourceNames[table.name] = table.name
      _ = names.claimIfFree(table.name)
    }
    for table in schema.tables.values where !table.isCommonTableExpression {
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
      // Stems go before singulars of destinations, and both before what takes the place of a key that isn't free.
      let stems = references.indices.filter { references[$0].isKeyedByStem }
      var names: [Int: String] = [:]
      for position in stems + references.indices.filter({ !references[$0].isKeyedByStem }) {
        let reference = references[position]
        if keys[table]?.claimIfFree(reference.key, over: reference.onlyColumn) == true {
          names[position] = reference.key
        }
      }
      for (position, reference) in references.enumerated() {
        let key = names[position] ?? keys[table]?.claim(reference.alternatives, over: reference.onlyColumn)
        if let key {
          add(key, to: table, .toOne, [reference.belongsToStep], definedAt: reference.definition)
        }
      }
    }
  }

  /// Adds the hasMany or hasOne association on B for each foreign key from A to B.
  mutating func inferHas() {
    for reference in references.values.joined() where reference.isMutual {
      // hasOne, with the singular of A, if the foreign key columns are unique; else hasMany, with the plural.
      let isToOne = reference.isKey
      var key = isToOne ? reference.originNames.singular : reference.originNames.plural
      // One of several foreign keys, or one from A to itself, appends `By` and its key. The stem is used even where
      // the key on A was changed because it equals a column.
      if !reference.isOnly { key += "By" + reference.stem.uppercasingFirst }
      // If the key is taken, it becomes key + destination. That applies to hasOne too, whose key is the singular of its
      // destination already.
      let alternative = key + reference.originNames.singular.uppercasingFirst
      add(
        [key, alternative], to: reference.destinationTable.name, isToOne ? .toOne : .toMany,
        [reference.hasStep], definedAt: reference.definition)
    }
  }
}

extension Table {
  fileprivate var isCommonTableExpression: Bool {
    if case .commonTableExpression = kind { true } else { false }
  }
}

/// The names in use in one namespace: the columns and association keys of a table, or the resources.
struct KeyRegister {
  private var taken: NameSet
  /// The names that have been claimed.
  private var claimed: NameSet = []
  /// The last number that was appended to each name.
  private var numbers: [ExactName: Int] = [:]

  init(taken: some Sequence<String>) {
    self.taken = NameSet(taken)
  }

  /// Claims `key` if it is free, and returns whether it was; names are case-sensitive.
  ///
  /// - Parameter column: The taken name that the owner of the key may have, unless another one has claimed it.
  mutating func claimIfFree(_ key: String, over column: String? = nil) -> Bool {
    let isFree = taken.insert(key) || (column?.hasBytes(of: key) ?? false) && !claimed.contains(key)
    if isFree { _ = claimed.insert(key) }
    return isFree
  }

  /// Claims and returns the first free candidate, or else `base` with the lowest free number from 2 on appended.
  ///
  /// - Parameter base: The last candidate by default.
  mutating func claim(
    _ candidates: [String], over column: String? = nil, numbering base: String? = nil
  ) -> String {
    for candidate in candidates where claimIfFree(candidate, over: column) { return candidate }
    let base = base ?? candidates.last ?? ""
    var number = numbers[ExactName(base)] ?? 1
    repeat { number += 1 } while !claimIfFree("\(base)\(number)")
    numbers[ExactName(base)] = number
    return "\(base)\(number)"
  }
}

/// The forms of a table's name from which resource names and association keys are made.
struct TableNames {
  /// The singular in lowerCamelCase: `lineItem` for both `line_item` and `line_items`.
  let singular: String
  /// The plural in lowerCamelCase: `lineItems` for both `line_item` and `line_items`.
  let plural: String
  /// The table's name in lowerCamelCase.
  let camelCased: String

  init(_ name: String) {
    var words = IdentifierWords(name).lowerCamelCaseWords
    guard let last = words.popLast() else {
      (singular, plural, camelCased) = (name, name, name)
      return
    }
    let start = words.joined()
    camelCased = start + last
    let lastSingular = Inflector.inflect(last[...], to: .singular, isInCapitals: false)
    singular = start + lastSingular
    plural = start + Inflector.inflect(lastSingular[...], to: .plural, isInCapitals: false)
  }
}
