/// A chain of steps from the records of one table to those of another, pivot to destination, and a cardinality.
public struct Association: Equatable, Sendable {
  /// How many records are associated with one.
  public enum Cardinality: Sendable, Hashable {
    case toOne
    case toMany
  }

  /// The name in requests and results.
  public var key: String
  /// Whether a record has one associated record at most, or any number.
  public var cardinality: Cardinality
  /// At least one; all but the last lead to pivots.
  public var steps: [AssociationStep]
  /// The name of the resource that it leads to.
  public var destination: String
  /// A condition on the destination's records.
  public var filter: Expression?
  /// The order of the destination's records, instead of their resource's.
  public var sort: [SortTerm]
  /// The file and line that define it, such as `model.yaml:12`; nil where it is inferred.
  public var definition: String?

  /// An association to all records of `destination`, in its order, unless `filter` and `sort` say more.
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

/// One step of an association, from a table to another by equal columns.
///
/// NULL equals nothing.
public struct AssociationStep: Equatable, Sendable {
  /// The ways that a foreign key can be followed.
  public enum Direction: Sendable, Hashable {
    /// The origin refers to the destination.
    case belongsTo
    /// The destination refers to the origin.
    case has
  }

  /// The name of the table that it starts from.
  public var origin: String
  /// The name of the table that it leads to.
  public var destination: String
  /// The columns of the origin; as many as `destinationColumns`, and equal to these one by one.
  public var originColumns: [String]
  /// The columns of the destination.
  public var destinationColumns: [String]
  /// Which side holds the foreign key.
  public var direction: Direction
  /// Whether it leads to one record at most.
  public var isToOne: Bool
  /// A condition on the records that this step leads to, of an association refined before others went through it.
  public var filter: Expression?
  /// Where others go through a to-one association: the order in which its last step takes the first of several records.
  public var sort: [SortTerm]?

  /// Whether both lead from the same records to the same others, filters apart.
  package func leads(as other: AssociationStep) -> Bool {
    origin == other.origin && destination == other.destination && originColumns == other.originColumns
      && destinationColumns == other.destinationColumns && direction == other.direction
  }

  /// A step that leads to all records with equal columns, unless `filter` says more.
  public init(
    origin: String, destination: String, originColumns: [String], destinationColumns: [String],
    direction: Direction, isToOne: Bool, filter: Expression? = nil
  ) {
    self.origin = origin
    self.destination = destination
    self.originColumns = originColumns
    self.destinationColumns = destinationColumns
    self.direction = direction
    self.isToOne = isToOne
    self.filter = filter
  }
}
