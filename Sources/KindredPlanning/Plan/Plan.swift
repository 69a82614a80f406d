import KindredModel
import KindredSQLSyntax

/// The execution plan of a request: a tree of statements, each with the shape of its rows.
///
/// A plan depends on the shape of a request, not on its values.
public struct Plan: Sendable {
  /// The statements of the path to the root, each of which must return a row.
  ///
  /// The first one has level 0.
  public var path: [Step] = []
  /// The statements of the tree, root first.
  public var nodes: [Node] = []
  /// Whether the result is a single record rather than a list.
  public var isSingle = false
  /// The error detail if the root is a single record and does not exist.
  public var absence = ""
  /// `SELECT COUNT(*)` of the root's records, or of the first ones if there is an ``estimate``; nil unless requested.
  public var count: Statement?
  /// The root's records, whose number the database estimates if there are more than ``exactCount``.
  public var estimate: Statement?
  /// The largest number of records that is counted where others are estimated.
  public static let exactCount = 1000
  /// Whether access rules apply to any table that the plan reads.
  public var readsRestricted = false
  /// The columns of the root's statement that make up a cursor; nil if pages can't be continued.
  public var cursorColumns: [Int]?
  /// Whether the page is found from its end, in the opposite order; its records come in their own.
  public var isBackward = false
  /// For each column of the cursor, whether it is in descending order in the direction in which the page is found.
  public var cursorIsDescending: [Bool] = []
  /// Whether values of the cursor are hidden from the client.
  public var cursorIsHidden = false
  /// Reads the full values of an abridged cursor; nil if the request's cursor is complete.
  public var anchor: Statement?
  /// Computes the digest of the cursor whose values it is bound to; nil if the program does.
  public var digest: Statement?
  /// Counts the records before the page that equal the one of its cursor, where that isn't a part of its statement; the
  /// number replaces that of the cursor.
  public var passedBefore: Statement?
  /// Counts the records that equal the first one of the page and precede it; nil if no two records can be equal.
  ///
  /// The values of the first record are bound after the values of the cursor.
  public var passedOfFirst: Statement?
  /// Counts the records before the end of the page that equal its last one; nil if no two records can be equal.
  ///
  /// The values of the last record are bound after the values of the cursor.
  public var passedOfLast: Statement?
  /// Returns a row if records precede the page in the direction in which it is found; nil if none do.
  public var behind: Statement?
  /// Returns a row if records follow a page that is found from its end, in that direction; nil for others.
  public var beyond: Statement?
  /// Reads the cursor of the last record of a page that is found from its end; nil for others.
  public var last: Statement?
  /// Reads the cursor of the page's last record, and a second row if another record follows.
  public var lookahead: Statement?
  /// Full-text patterns to check before the first byte is sent.
  public var searches: [SearchCheck] = []
  /// The tables to create before the statements run.
  public var transients: [TransientTable] = []
  /// The indexes that the database lacks for this request: complete `CREATE INDEX` statements.
  public var missingIndexes: [String] = []
  /// The foreign keys that no index can serve because their types differ from those of the columns they reference: one
  /// sentence each.
  public var mismatches: [String] = []

  /// The column that decides in which shard a record of the root is; nil unless its table is distributed.
  public var distributionColumn: String?

  /// The column whose single value the plan reads, if that may be a BLOB that is read in parts.
  public var storedColumn: StoredColumn?

  /// The places in the request of the values of expressions and keys, by the numbers of the bindings.
  public var places: [Int: Literals.Place] = [:]

  /// Whether date functions of the request read the clock, unless a literal is another time than 'now'.
  public var readsClock: Bool { !moments.isEmpty }

  /// The values that date functions of the request are called for.
  package var moments: [SQL.Binding] {
    nodes.flatMap(\.statement.bindings).compactMap { if case .moment(let value) = $0 { value } else { nil } }
  }

  /// Whether the result depends only on the database, so that it stays the same until the next commit.
  public var isTimeless = true

  /// The numbers of the literals that are compared as texts, so that none of them names a time.
  public var plainTexts: Set<Int> = []

  /// Whether values of the request are part of the SQL, so that the plan can't serve other requests.
  public var readsLiterals = false

  /// An empty plan.
  public init() {}

  /// The statements that read the result, without those for many parents at once, which have the same SQL.
  var statements: [Statement] {
    path.map(\.statement) + nodes.map(\.statement)
      + ([count, digest, passedBefore] + statementsOfPages.map(\.statement)).compactMap { $0 }
  }

  /// The statements that find the page and its neighbours, with their names for `explain`.
  package var statementsOfPages: [(name: String, statement: Statement?)] {
    [
      ("anchor", anchor), ("lookahead", lookahead), ("behind", behind), ("beyond", beyond), ("last", last),
      ("passed", passedOfFirst), ("passed", passedOfLast),
    ]
  }

  /// The number of bytes of SQL.
  public var sqlLength: Int {
    (statements + searches.map(\.statement)).reduce(0) { $0 + $1.sql.utf8.count }
  }

  /// SQL text and the bindings of its parameters, in order.
  public struct Statement: Sendable {
    /// The text, with numbered parameters.
    public var sql: String
    /// The bindings; that of parameter `?1` comes first.
    public var bindings: [SQL.Binding]
    /// The number of bytes before the page at the end, whose limit and what is read ahead are the last two parameters,
    /// and used only there; nil if there is none.
    public let lengthBeforePage: Int?
    /// The notes of the SQL.
    let notes: [PlanNote]

    /// - Parameter page: The page at the end, if it consists of a limit and what is read ahead.
    init(_ sql: SQL, page: SQL? = nil, _ style: SQL.ParameterStyle = .questionMark) {
      notes = sql.notes.compactMap { $0 as? PlanNote }
      (self.sql, bindings) = (page.map { sql + $0 } ?? sql).rendered(style)
      guard page != nil, style == .dollar else {
        lengthBeforePage = nil
        return
      }
      let (text, others) = sql.rendered(style)
      lengthBeforePage = bindings.count == others.count + 2 ? text.utf8.count : nil
    }
  }

  /// A statement on the path to the root.
  public struct Step: Sendable {
    /// The statement to run.
    public var statement: Statement
    /// The error detail if it returns no row.
    public var absence: String
  }

  /// A full-text pattern, and the statement that validates it; two are equal if they validate the same.
  public struct SearchCheck: Sendable, Hashable {
    /// The statement to run.
    public var statement: Statement
    /// The number of the literal that is the pattern.
    public var literal: Int
    /// The columns that the pattern may name; nil means all.
    public var columns: [String]?
    /// The pattern's position in the request.
    public var origin: Origin

    /// Compares the places in the request.
    public static func == (left: SearchCheck, right: SearchCheck) -> Bool {
      left.literal == right.literal && left.origin == right.origin
    }

    /// Feeds the place in the request to `hasher`.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(literal)
      hasher.combine(origin)
    }

    /// - Throws: `RequestError` if the pattern is too long, or names a column that is hidden or doesn't exist.
    public func check(_ pattern: SQLValue) throws {
      guard case .text(let text) = pattern else { return }
      let pattern = FullTextPattern(text)
      guard pattern.tokenCount <= FullTextPattern.maximumTokenCount else {
        throw RequestError(
          .limitExceeded,
          "a full-text pattern may have at most \(FullTextPattern.maximumTokenCount) words and operators",
          at: origin)
      }
      guard let columns else { return }
      for name in pattern.columns where !columns.contains(where: name.equalsIgnoringCase) {
        throw RequestError.unknown(
          name, .unknownColumn, "`\(name)` is not a searchable column", among: columns, at: origin)
      }
    }
  }

  /// A statement that runs once for each row of its parent's, and the shape of its rows.
  public struct Node: Sendable {
    /// The statement to run.
    public var statement: Statement
    /// The shape of each row.
    public var shape: RecordShape
    /// The meaning of the columns, in a plan for rows.
    public var layout = RowLayout()
    /// The statement for many parents at once, or of a root for many keys, if there is one.
    public var batch: Batch?
    /// Whether the result is an array rather than one value or `null`.
    public var isToMany: Bool
    /// Its level in the tree of statements.
    public var level: Int
    /// Whether it returns no row, whatever the database contains.
    public var isNever = false
    /// How it repeats below itself; nil unless it is recursive.
    public var recursion: Recursion?
    /// The columns of the merge join with the parent's statement; nil if it runs once for each row of that one.
    public var mergeJoin: MergeJoin?
    /// The keys of the request's nodes from the root to here, for `explain`.
    public var name: String
  }

  /// How a statement is merge-joined with its parent's: both are in ascending order of an integer, and a row belongs to
  /// the parent with the same integer.
  public struct MergeJoin: Sendable {
    /// The integer's column, which may hold values of other types.
    public var column: Int
    /// The column of the parent's statement, which is unique.
    public var above: Int

    package init(column: Int, above: Int) {
      self.column = column
      self.above = above
    }
  }

  /// How often a node may repeat below itself, and how a record is distinguished from its ancestors.
  public struct Recursion: Sendable {
    /// The maximum number of repetitions.
    public var levels: Int
    /// The columns of the record's key in this statement.
    public var identity: [Int]
    /// The columns of the first ancestor's key, in the statement above the first level.
    public var baseIdentity: [Int]
    /// The node that repeats this one on the next level, and itself from there on.
    public var repetition: Int
    /// The maximum number of records below each one.
    public var limit: SQL.Binding?
    /// The number of records to skip.
    public var offset: SQL.Binding?
  }

  /// How a column's value appears in the result.
  public enum ValueFormat: Sendable, Hashable {
    /// Unchanged.
    case plain
    /// As `false` or `true` instead of 0 or 1.
    case boolean
    /// As JSON.
    case json
    /// As JSON, and where texts have no quotes, as the text that the JSON may stand for.
    case part
  }
}
