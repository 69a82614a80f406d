import KindredSQLSyntax

/// A named connection from the records of one table to those of another: a chain of steps, and a cardinality.
public struct Association: Equatable, Sendable {
  /// How many records are associated with one record.
  public enum Cardinality: Sendable, Hashable {
    case toOne
    case toMany
  }

  /// The name in requests and results.
  public var key: String
  /// Whether a record has at most one associated record, or any number.
  public var cardinality: Cardinality
  /// The steps, at least one; all but the last lead to pivots.
  public var steps: [AssociationStep]
  /// The name of the resource that it leads to.
  public var destination: String
  /// A condition on the destination's records.
  public var filter: Expression?
  /// The order of the destination's records, instead of their resource's.
  public var sort: [SortTerm]
  /// The file and line that define it, or the foreign keys that it follows, such as `model.yaml:12`; nil where it is
  /// inferred from the schema.
  public var definition: String?

  /// Creates an association; without `filter` and `sort` it leads to all records, in the order of `destination`.
  public init(
    key: String, cardinality: Cardinality, steps: [AssociationStep], destination: String,
    filter: Expression? = nil, sort: [SortTerm] = []
  ) {
    self.key = key
    self.cardinality = cardinality
    self.steps = steps
    self.destination = destination
    self.filter = filter
    self.sort = sort
  }

  /// The column in whose place its record stands: the only column of a foreign key that has the association's name.
  ///
  /// Where a request has the name alone, it is the column.
  public var replacedColumn: String? {
    steps.onlyReferringColumn.flatMap { $0.hasBytes(of: key) ? $0 : nil }
  }

  /// The values that it fixes for parameters of the resource that it leads to.
  public var parameters: [String: SQLValue] { steps.last?.parameters ?? [:] }

  /// The kind in GRDB's vocabulary: `belongsTo`, `hasOne`, `hasMany`, `hasOneThrough` or `hasManyThrough`.
  public var kind: String {
    switch (cardinality, steps.count) {
    case (.toOne, 1): steps[0].direction == .belongsTo ? "belongsTo" : "hasOne"
    case (.toMany, 1): "hasMany"
    case (.toOne, _): "hasOneThrough"
    case (.toMany, _): "hasManyThrough"
    }
  }
}

/// One step of an association, from a table to another by equal columns, where NULL equals nothing; periods, which some
/// foreign keys end with, are related by overlapping.
public struct AssociationStep: Equatable, Sendable {
  /// The directions in which a foreign key can be followed.
  public enum Direction: Sendable, Hashable {
    /// The origin refers to the destination.
    case belongsTo
    /// The destination refers to the origin.
    case has
  }

  /// The name of the table from which the step leads.
  public var origin: String
  /// The name of the table to which the step leads.
  public var destination: String
  /// The columns of the origin, each equal to the one at the same place in `destinationColumns`.
  public var originColumns: [String]
  /// The columns of the destination.
  public var destinationColumns: [String]
  /// Which side holds the foreign key.
  public var direction: Direction
  /// Whether the step leads to at most one record.
  public var isToOne: Bool
  /// Whether the last columns are periods, each of which may overlap several others.
  public var hasPeriod = false
  /// The condition of the association that this step comes from, if another association goes through that one.
  public var filter: Expression?
  /// The order that decides which of several records is taken, where another association goes through a to-one one.
  public var sort: [SortTerm]?

  /// The values that the association fixes for parameters of the table to which the step leads.
  public var parameters: [String: SQLValue] = [:]

  /// Whether the pair of columns of this number are periods.
  package func isPeriod(_ number: Int) -> Bool { hasPeriod && number == originColumns.count - 1 }

  /// Whether both steps follow the same columns between the same tables, whatever their filters.
  package func leads(as other: AssociationStep) -> Bool {
    origin == other.origin && destination == other.destination && originColumns == other.originColumns
      && destinationColumns == other.destinationColumns && direction == other.direction
      && hasPeriod == other.hasPeriod
  }

  /// The step back, without its filter.
  package var reversed: AssociationStep {
    AssociationStep(
      origin: destination, destination: origin, originColumns: destinationColumns,
      destinationColumns: originColumns, direction: direction == .has ? .belongsTo : .has, isToOne: false,
      hasPeriod: hasPeriod)
  }

  /// Creates a step to the records with equal columns that meet the filter.
  public init(
    origin: String, destination: String, originColumns: [String], destinationColumns: [String],
    direction: Direction, isToOne: Bool, hasPeriod: Bool = false, filter: Expression? = nil
  ) {
    self.origin = origin
    self.destination = destination
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
    self.direction = direction
    self.isToOne = isToOne
    self.hasPeriod = hasPeriod
    self.filter = filter
  }
}

extension AssociationStep {
  /// Creates the step that follows a foreign key in a direction.
  ///
  /// - Parameter holder: The table that has the key.
  package init(_ key: ForeignKey, of holder: Table, to referred: Table, _ direction: Direction) {
    let leadsUp = direction == .belongsTo
    let isUnique = leadsUp ? referred.isUnique(key.destinationColumns) : holder.isUnique(key.columns)
    self.init(
      origin: leadsUp ? holder.name : referred.name, destination: leadsUp ? referred.name : holder.name,
      originColumns: leadsUp ? key.columns : key.destinationColumns,
      destinationColumns: leadsUp ? key.destinationColumns : key.columns, direction: direction,
      isToOne: isUnique && !key.hasPeriod, hasPeriod: key.hasPeriod)
  }
}

extension Association {
  /// Whether it leads to only some of the records that its foreign keys refer to.
  public var isFiltered: Bool { filter != nil || steps.contains { $0.filter != nil } }
}

extension [AssociationStep] {
  /// The column of a single step that follows a foreign key of one column; nil for other chains.
  package var onlyReferringColumn: String? {
    count == 1 && self[0].direction == .belongsTo && self[0].originColumns.count == 1
      ? self[0].originColumns[0] : nil
  }
}
