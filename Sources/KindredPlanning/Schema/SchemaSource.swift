import KindredModel
import KindredSQLSyntax

/// Reads the schema of a database within one snapshot.
public protocol SchemaSource {
  /// The SQL of the database.
  var dialect: Dialect { get }

  /// A version number of the schema: while the program runs, equal numbers mean equal schemas.
  var schemaVersion: Int64 { get }

  /// Returns the schema in the snapshot.
  func schema() throws -> Schema

  /// Returns a table without keys for each definition, in order; definitions may refer to each other.
  ///
  /// - Throws: ``CommonTableDefinition/Failure`` for SQL that is not a single `SELECT`, or that the database rejects.
  func tables(of definitions: [CommonTableDefinition]) throws -> [Table]

  /// Returns the columns of the rows that each of several statements returns, nil for one that returns none, without
  /// running it.
  ///
  /// - Throws: ``CommonTableDefinition/Failure`` for a statement that the database rejects.
  func columns(ofStatements statements: [String]) throws -> [[Column]?]

  /// Returns the names of the tables that a view, a full-text table or a common table expression reads; nil if it may
  /// read any, because it calls a function of the database's own.
  ///
  /// - Parameter definitions: The common table expressions, which may read one another.
  func tables(readBy table: Table, _ definitions: [Table]) throws -> NameSet?

  /// Returns the integers in the first row of a statement without arguments.
  func integers(_ sql: SQL) throws -> [Int64]

  /// Returns the names of the columns that the transaction's role may not read, by the names of their tables.
  func withheldColumns() throws -> [ExactName: NameSet]
}

extension SchemaSource {
  /// Returns no columns, for a database without privileges.
  public func withheldColumns() throws -> [ExactName: NameSet] { [:] }
}

/// A common table expression of the model file: a name and its `SELECT`.
public struct CommonTableDefinition: Sendable {
  /// The name in statements.
  public var name: String
  /// The SQL as the model file has it, but for its parameters.
  public var sql: String
  /// Whether the database has to refuse functions that may write.
  public var isReadOnly: Bool
  /// Whether other definitions can read it: not if it has parameters, to which they couldn't give values.
  public var isReadable: Bool

  /// Creates a definition without checking it.
  public init(name: String, sql: String, isReadOnly: Bool = false, isReadable: Bool = true) {
    self.name = name
    self.sql = sql
    self.isReadOnly = isReadOnly
    self.isReadable = isReadable
  }

  /// An error in one of several definitions.
  public struct Failure: Error, Sendable {
    /// The index of the definition.
    public let index: Int
    /// A sentence that describes the error.
    public let message: String

    /// Creates an error in the definition at `index`.
    public init(index: Int, message: String) {
      self.index = index
      self.message = message
    }
  }
}
