import KindredSQLSyntax

/// How a request is answered: a tree of statements, each with the shape of what its rows show.
///
/// Plans depend on the shape of a request, not on its values.
public struct Plan: Sendable {
  /// The statements that lead to the root along the path, each of which must give a row.
  ///
  /// The first of them is level 0.
  public var path: [Step] = []
  /// The statements of the tree; `root` comes first.
  public var nodes: [Node] = []
  /// Whether the result is one record, and not a list.
  public var isSingle = false
  /// Why there is no result where the root, being single, gives no row.
  public var absence = ""
  /// `SELECT COUNT(*)` of the root's records; nil unless asked for.
  public var count: Statement?
  /// The columns of the root's statement that make up a cursor; nil where pages can't be continued.
  public var cursorColumns: [Int]?
  /// By column of the cursor, whether greater values come first.
  public var cursorIsDescending: [Bool] = []
  /// Reads the whole values of the abridged cursor that the page starts after; nil where it has them.
  public var anchor: Statement?
  /// Counts the records that a cursor has passed which are equal to the page's last one; nil where none can be.
  ///
  /// The values of the last record are bound as those that follow the values of the cursor.
  public var passed: Statement?
  /// Reads the cursor of the page's last record, and whether a record follows: two rows, or less where none does.
  public var lookahead: Statement?
  /// Full-text patterns to check before the first byte is sent.
  public var searches: [SearchCheck] = []
  /// What must be made before the statements run.
  public var transients: [TransientTable] = []
  /// The indexes that the database lacks for this request: complete `CREATE INDEX` statements.
  public var missingIndexes: [String] = []
  /// The foreign keys that no index can serve, since their columns are of other types than those they refer to: one
  /// sentence each.
  public var mismatches: [String] = []

  /// Whether values of the request are part of its SQL, so that it serves no other one.
  public var readsLiterals = false

  /// An empty plan.
  public init() {}

  /// How many bytes of SQL it has.
  public var sqlLength: Int {
    let all =
      path.map(\.statement) + nodes.map(\.statement) + [count, lookahead, anchor, passed].compactMap { $0 }
      + searches.map(\.statement)
    return all.reduce(0) { $0 + $1.sql.utf8.count }
  }

  /// SQL text and what its parameters are bound to, in their order.
  public struct Statement: Sendable {
    /// The text, with numbered parameters.
    public var sql: String
    /// By the number of the parameter, less one.
    public var bindings: [SQL.Binding]

    init(_ sql: SQL, _ style: SQL.ParameterStyle = .questionMark) {
      (self.sql, bindings) = sql.rendered(style)
    }
  }

  /// A statement on the path to the root.
  public struct Step: Sendable {
    /// What runs.
    public var statement: Statement
    /// What is not there when it gives no row.
    public var absence: String
  }

  /// A full-text pattern, and the table that understands it.
  public struct SearchCheck: Sendable {
    /// What runs.
    public var statement: Statement
    /// The number of the literal that is the pattern.
    public var literal: Int
    /// The columns that the pattern may name; nil for all.
    public var columns: [String]?
    /// Where the request has the pattern.
    public var origin: Origin

    /// - Throws: `RequestError` where the pattern names another column: one that is hidden, or none at all.
    public func checkColumns(of pattern: SQLValue) throws {
      guard let columns, case .text(let pattern) = pattern else { return }
      for name in FullTextPattern(pattern).columns where !columns.contains(where: name.equalsIgnoringCase) {
        throw RequestError.unknown(
          name, .unknownColumn, "`\(name)` is no column that is searched", among: columns, at: origin)
      }
    }
  }

  /// A statement that runs once per row of the one above, and what each of its rows shows.
  public struct Node: Sendable {
    /// What runs.
    public var statement: Statement
    /// What each row shows.
    public var shape: RecordShape
    /// What the columns are, in a plan of rows.
    public var layout = RowLayout()
    /// The same for many records above at once, where that is possible; only in a plan of rows.
    public var batch: Batch?
    /// Whether it gives an array, or one value or `null`.
    public var isToMany: Bool
    /// Its level in the tree of statements.
    public var level: Int
    /// How it repeats below itself, if it does.
    public var recursion: Recursion?
    /// Where it is merge-joined with the statement above, instead of running once for each row of that one.
    public var mergeJoin: MergeJoin?
    /// The key of each request node on the way here, for `explain`.
    public var name: String
  }

  /// How a statement is merge-joined with the one above: both are in ascending order of an integer, and a row belongs to
  /// the row above that has the same.
  public struct MergeJoin: Sendable {
    /// The integer's column; its values may be anything.
    public var column: Int
    /// The column of the statement above, in which no two rows have the same integer.
    public var above: Int
  }

  /// How often a node may repeat below itself, and how a record is told from its ancestors.
  public struct Recursion: Sendable {
    /// How often it repeats at most.
    public var levels: Int
    /// The columns of the record's key in its statement.
    public var identity: [Int]
    /// The columns of the key of the first ancestor, in the statement above the first level.
    public var baseIdentity: [Int]
    /// The node that repeats this one a level further down: itself from there on.
    public var repetition: Int
    /// How many records there are below each at most.
    public var limit: SQL.Binding?
    /// How many records are left out first.
    public var offset: SQL.Binding?
  }

  /// What a column's value is in the result.
  public enum ValueFormat: Sendable, Hashable {
    /// As SQLite holds it.
    case plain
    /// 0 and 1 as `false` and `true`.
    case boolean
    /// Valid JSON as it is.
    case json
  }
}
