import KindredSQLSyntax

/// A request as a tree: a path to the records, and under them one node per association key.
public struct FetchRequest: Equatable, Sendable {
  /// What leads from a resource to the records.
  public var path: RequestPath
  /// The node of the records at the end of the path.
  public var root: RequestNode
  /// The values of the request, by the numbers that its expressions hold.
  public var literals: Literals
  /// Whether the number of all records is wanted too.
  public var count = false
  /// The page starts after this record.
  public var after: Cursor?
  /// The columns of the record from which the root's association leads; nil where there is none, or the path has it.
  public var origin: [String: SQLValue]?

  /// A request for the records of `root` at the end of `path`.
  public init(path: RequestPath, root: RequestNode, literals: Literals = Literals()) {
    self.path = path
    self.root = root
    self.literals = literals
  }
}

/// A resource, and the records and associations that lead from it: `/authors/1/books/7/reviews`.
public struct RequestPath: Equatable, Sendable {
  /// A part of a path behind the resource.
  public enum Segment: Equatable, Sendable {
    /// The record whose columns have these values.
    case record([KeyColumn])
    /// The records associated with the one before.
    case association(Association)
  }

  /// A column of a key, and the numbers of the literals that are its value in one form or another.
  public struct KeyColumn: Equatable, Sendable {
    /// The name of the column.
    public var name: String
    /// Candidate values, at least one: an untyped column may store the number rather than its text.
    public var literals: [Int]

    /// A column that has one of the values with these numbers.
    public init(name: String, literals: [Int]) {
      self.name = name
      self.literals = literals
    }
  }

  /// The name of the resource that the path starts from.
  public var resource: String
  /// What leads on from there, records and associations in turn.
  public var segments: [Segment]

  /// A path from all records of a resource.
  public init(resource: String, segments: [Segment] = []) {
    self.resource = resource
    self.segments = segments
  }
}

/// A node of the request tree: the records of the root or of an association, and what is wanted of them.
///
///     SELECT [DISTINCT] fields, annotations
///     FROM records [JOIN associations]
///     WHERE filters AND searches [GROUP BY group] HAVING havings
///     ORDER BY sort LIMIT limit OFFSET offset
public struct RequestNode: Equatable, Sendable {
  /// The name in the request and in the result; empty at the root.
  public var key: String
  /// How the records follow from those of the node above; nil at the root.
  public var association: Association?
  /// Whether the records are part of the result, or only joined.
  public var isIncluded = true
  /// Whether records above are left out that have none here.
  public var isRequired = false
  /// How many levels the association repeats below itself; nil without recursion.
  public var recursion: Int?
  /// Nil for the default ones.
  public var fields: [Field]?
  /// Each record as this one bare value.
  public var values: Expression?
  /// Values beside the fields.
  public var annotations: [NamedExpression] = []
  /// Columns, each of which must have one of its values: `kind=novel&kind=poem`.
  public var equalities: [RequestPath.KeyColumn] = []
  /// Conditions on the records, all of which must hold.
  public var filters: [Expression] = []
  /// Conditions with aggregates, all of which must hold; of groups where there are groups.
  public var havings: [Expression] = []
  /// Full-text patterns, all of which must match.
  public var searches: [Search] = []
  /// Nil for the default one.
  public var sort: [SortTerm]?
  /// Numbers of literals.
  public var limit: Int?
  /// How many records are passed over, for each record above; the number of a literal.
  public var offset: Int?
  /// Whether only the first of equal results is kept.
  public var isDistinct = false
  /// What the records of a group agree in; without expressions, and without aggregates, there are no groups.
  public var group: [Expression] = []
  /// The nodes below, in the order of their members in the result.
  public var children: [RequestNode] = []
  /// What is said in a request for rows.
  public var rows = RowShape()
  /// Where the request names it.
  public var origin: Origin

  /// A node that is returned; the root without key and association.
  public init(key: String = "", association: Association? = nil, origin: Origin = Origin()) {
    self.key = key
    self.association = association
    self.origin = origin
  }

  /// A full-text pattern.
  public struct Search: Equatable, Sendable {
    /// The number of the literal that is the pattern.
    public var literal: Int
    /// Where the request has it.
    public var origin: Origin

    /// A pattern by the number of its literal.
    public init(literal: Int, origin: Origin) {
      self.literal = literal
      self.origin = origin
    }
  }
}
