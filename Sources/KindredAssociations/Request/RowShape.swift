import KindredSQLSyntax

/// What a request for rows says of a node, beyond what one for JSON can say.
public struct RowShape: Equatable, Sendable {
  /// Whether the records are read apart, as a collection of each record above; otherwise they are joined to it, and
  /// each pair is a row.
  public var isPrefetched = false
  /// The names by which expressions elsewhere speak of the record.
  public var aliases: [RecordAlias] = []
  /// The names by which expressions of this node speak of the record above.
  public var originAliases: [RecordAlias] = []
  /// The nodes of the association's steps, the last one left out.
  public var pivots: [RequestNode] = []
  /// How many rows at most, per record above.
  public var limit: Int64?
  /// How many rows are passed over.
  public var offset: Int64 = 0
  /// What the statement of this node defines before it.
  public var commonTables: [CommonTable] = []

  /// Joined, with nothing said.
  public init() {}
}

/// A record of a request, to be named in expressions about other records.
///
/// It is what it is by identity: two of one name are two.
public final class RecordAlias: Hashable, Sendable {
  /// The name in SQL; any free one where nil.
  public let name: String?

  /// An alias that stands for no record yet.
  public init(name: String? = nil) {
    self.name = name
  }

  /// Whether both are one.
  public static func == (left: RecordAlias, right: RecordAlias) -> Bool { left === right }

  /// Feeds its identity to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A common table expression of one request.
public struct CommonTable: Equatable, Sendable {
  /// Where its rows come from.
  public enum Definition: Equatable, Sendable {
    /// A complete statement of the program.
    case raw([Expression.RawPart])
    /// The rows of a request.
    case request(FetchRequest)
  }

  /// The name of the table.
  public var name: String
  /// The names of the columns; those of the definition where nil.
  public var columns: [String]?
  /// Where its rows come from.
  public var definition: Definition

  /// A table of this definition.
  public init(name: String, columns: [String]? = nil, definition: Definition) {
    self.name = name
    self.columns = columns
    self.definition = definition
  }
}

extension Expression {
  /// What requests for rows can say, and URLs can't.
  public indirect enum ProgramExpression: Equatable, Sendable {
    /// A column of the record by its name in the database, which SQLite looks up.
    case column(String)
    /// An expression about the record of that alias.
    case of(RecordAlias, Expression)
    /// SQL of the program.
    case raw([RawPart])
    /// An aggregate of the records of a node below.
    case aggregate(AggregateFunction, of: RequestNode, Expression?)
    /// How many records the association of this key has, where they are no more than `most`; else `most`.
    case count(of: String, most: Int)
    /// Whether a request gives rows.
    case exists(FetchRequest)
    /// Whether a value is among those of the first column of a request.
    case among(Expression, FetchRequest)
  }

  /// A piece of SQL of the program.
  public enum RawPart: Equatable, Sendable {
    /// Trusted text.
    case text(String)
    /// An expression in its place; a value is bound.
    case expression(Expression)
  }

  /// The aggregates of associations, and how they are called.
  public enum AggregateFunction: String, CaseIterable, Sendable {
    case count, isEmpty, min, max, average, sum, total, concat

    package var takesArgument: Bool { argumentCount.upperBound > 0 }

    var argumentCount: ClosedRange<Int> {
      switch self {
      case .count, .isEmpty: 0...0
      case .min, .max, .average, .sum, .total: 1...1
      // The separator may be left out.
      case .concat: 1...2
      }
    }

    /// The name of an aggregate that has none of its own: `bookCount`, `maxBookYear`; nil for `concat`.
    ///
    /// - Parameters:
    ///   - key: The key of the association in the singular, such as `book`.
    ///   - column: The column that is aggregated; empty where the function takes no argument.
    package func defaultName(of key: String, column: String) -> String? {
      let column = column.uppercasingFirst
      return switch self {
      case .count: key + "Count"
      case .isEmpty: "hasNo" + key.uppercasingFirst
      case .min, .max, .average: rawValue + key.uppercasingFirst + column
      case .sum, .total: key + column + "Sum"
      case .concat: nil
      }
    }
  }
}
