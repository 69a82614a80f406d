import KindredSQLSyntax

/// A request as a tree: a path to the root records, and below them one node for each association key.
public struct FetchRequest: Equatable, Sendable {
  /// The path from a resource to the root records.
  public var path: RequestPath
  /// The node of the records at the end of the path.
  public var root: RequestNode
  /// The values of the request, to which its expressions refer by number.
  public var literals: Literals
  /// Whether all records are counted, too.
  public var count = false
  /// Whether the database may estimate the number of records, if they are many.
  public var estimatesCount = false
  /// Which page of the records is read.
  public var page = PagePlace.first
  /// The columns of the record from which the root's association leads; nil if there is none, or the path contains it.
  public var origin: [String: SQL.Binding]?

  /// Creates a request for the records of `root` at the end of `path`.
  public init(path: RequestPath, root: RequestNode, literals: Literals = Literals()) {
    self.path = path
    self.root = root
    self.literals = literals
  }
}

/// A path from a resource through records and associations: `/authors/1/books/7/reviews`.
public struct RequestPath: Equatable, Sendable {
  /// A part of a path after the resource.
  public enum Segment: Equatable, Sendable {
    /// The record whose columns have these values.
    case record([KeyColumn])
    /// The records associated with the previous one.
    case association(Association)
  }

  /// A column of a key, and the numbers of the literals for its value.
  public struct KeyColumn: Equatable, Sendable {
    /// The name of the column.
    public var name: String
    /// Candidate values, at least one: an untyped column may store the number rather than its text.
    public var literals: [Int]

    /// Creates a condition that the column has one of the values with these numbers.
    public init(name: String, literals: [Int]) {
      self.name = name
      self.literals = literals
    }
  }

  /// The name of the resource where the path starts.
  public var resource: String
  /// The records and associations that follow, in turn.
  public var segments: [Segment]
  /// The numbers of the literals that are the values of that resource's parameters, where others follow it.
  public var parameters: [String: Int] = [:]

  /// Creates a path from the records of a resource.
  public init(resource: String, segments: [Segment] = []) {
    self.resource = resource
    self.segments = segments
  }
}

/// A node of the request tree: the records of the root or of an association, and how they are selected and shown.
///
///     SELECT [DISTINCT] fields, annotations
///     FROM records [JOIN associations]
///     WHERE filters AND searches [GROUP BY group] HAVING havings
///     ORDER BY sort LIMIT limit OFFSET offset
public struct RequestNode: Equatable, Sendable {
  /// The name in the request and in the result; empty at the root.
  public var key: String
  /// The association that leads here from the parent node; nil at the root.
  public var association: Association?
  /// Whether the records are part of the result, or only joined.
  public var isIncluded = true
  /// Whether parent records without a record here are left out.
  public var isRequired = false
  /// The number of levels that the association repeats below itself; nil without recursion.
  public var recursion: Int?
  /// The selected fields; nil for the default ones.
  public var fields: [Field]?
  /// The expression whose bare value represents each record; nil for objects.
  public var values: Expression?
  /// The values in addition to the fields.
  public var annotations: [NamedExpression] = []
  /// Columns, each of which must have one of its values: `kind=novel&kind=poem`.
  public var equalities: [RequestPath.KeyColumn] = []
  /// The numbers of the literals that are the values of the resource's parameters.
  public var parameters: [String: Int] = [:]
  /// Conditions on the records, all of which must hold.
  public var filters: [Expression] = []
  /// Conditions that may contain aggregates, all of which must hold; they apply to groups where there are groups.
  public var havings: [Expression] = []
  /// Full-text patterns, all of which must match.
  public var searches: [Search] = []
  /// The order; nil for the default one.
  public var sort: [SortTerm]?
  /// The number of the literal that limits the records for each parent record; nil for no limit.
  public var limit: Int?
  /// The number of the literal that tells how many records to skip for each parent record.
  public var offset: Int?
  /// Whether only the first of equal results is kept.
  public var isDistinct = false
  /// The expressions by which records are grouped; without them, an aggregate in the fields makes a single group.
  public var group: [Expression] = []
  /// The child nodes, in the order of their members in the result.
  public var children: [RequestNode] = []
  /// The properties that only the Swift API sets.
  public var rows = RowOptions()
  /// The place of the node in the request.
  public var origin: Origin

  /// Creates an included node; the root has neither key nor association.
  public init(key: String = "", association: Association? = nil, origin: Origin = Origin()) {
    self.key = key
    self.association = association
    self.origin = origin
  }

  /// A full-text pattern.
  public struct Search: Equatable, Sendable {
    /// The number of the literal that is the pattern.
    public var literal: Int
    /// The place of the pattern in the request.
    public var origin: Origin

    /// Creates a pattern from the number of its literal.
    public init(literal: Int, origin: Origin) {
      self.literal = literal
      self.origin = origin
    }
  }
}

extension RequestPath {
  /// Returns the resource of the records that the path leads to.
  package func resource(in model: Model) -> Resource? {
    var name = resource
    for case .association(let association) in segments { name = association.destination }
    return model.resources[name]
  }
}
