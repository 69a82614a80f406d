import KindredSQLSyntax

/// The properties of a node that only the Swift API can set.
public struct RowOptions: Equatable, Sendable {
  /// Whether the records are read separately, as a collection for each parent record.
  ///
  /// Otherwise they are joined to it, and each pair is a row.
  public var isPrefetched = false
  /// The aliases by which other expressions refer to the record.
  public var aliases: [RecordAlias] = []
  /// The aliases by which expressions of this node refer to the parent record.
  public var originAliases: [RecordAlias] = []
  /// The nodes of the association's pivots: one for each step except the last.
  public var pivots: [RequestNode] = []
  /// The maximum number of rows for each parent record.
  public var limit: SQL.Binding?
  /// The number of rows to skip for each parent record; nil for none.
  public var offset: SQL.Binding?
  /// The common table expressions of the node's statement.
  public var commonTables: [CommonTable] = []

  /// Creates the properties of a joined node.
  public init() {}
}

/// An alias of a record in a request, by which expressions about other records can refer to it.
///
/// Aliases are compared by identity: two of the same name are different.
public final class RecordAlias: Hashable, Sendable {
  /// The alias in SQL; nil lets the planner choose one.
  public let name: String?

  /// Creates an alias that isn't attached to a record yet.
  public init(name: String? = nil) {
    self.name = name
  }

  /// Whether both are the same object.
  public static func == (left: RecordAlias, right: RecordAlias) -> Bool { left === right }

  /// Feeds its identity to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A common table expression of one request.
public struct CommonTable: Equatable, Sendable {
  /// The definitions of a common table expression.
  public enum Definition: Equatable, Sendable {
    /// A complete statement in SQL.
    case raw([Expression.RawPart])
    /// The rows of a request.
    case request(FetchRequest)
  }

  /// The name of the table.
  public var name: String
  /// The names of the columns; nil for those of the definition.
  public var columns: [String]?
  /// The definition of its rows.
  public var definition: Definition

  /// Creates a common table expression.
  public init(name: String, columns: [String]? = nil, definition: Definition) {
    self.name = name
    self.columns = columns
    self.definition = definition
  }
}

extension Expression {
  /// Expressions that only the Swift API can make.
  public indirect enum ProgramExpression: Equatable, Sendable {
    /// A column of the record; SQLite checks the name when the statement is prepared.
    case column(String)
    /// An expression about the record with this alias.
    case of(RecordAlias, Expression)
    /// Raw SQL.
    case raw([RawPart])
    /// An aggregate of the records of a child node.
    case aggregate(AggregateFunction, of: RequestNode, Expression?)
    /// The number of records of the association with this key, but no more than `most`.
    case count(of: String, most: Int)
    /// Whether the record is found by a pattern in the full-text index of its table.
    case search(SQL.Binding)
    /// Whether a request returns any row.
    case exists(FetchRequest)
    /// Whether a value is in the first column of a request's rows.
    case among(Expression, FetchRequest)
    /// The first column of a request's first row.
    case scalar(FetchRequest)
  }

  /// A part of raw SQL.
  public enum RawPart: Equatable, Sendable {
    /// Trusted SQL text.
    case text(String)
    /// An interpolated expression; values are bound.
    case expression(Expression)
  }
}
