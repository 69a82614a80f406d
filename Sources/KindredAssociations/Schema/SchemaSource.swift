/// What can be asked about the schema of a database, as one snapshot shows it.
public protocol SchemaSource {
  /// A number of the schema: equal numbers mean equal schemas as long as the program runs.
  var schemaVersion: Int64 { get }

  /// Returns the schema of the snapshot.
  func schema() throws -> Schema

  /// Returns the definitions as tables without keys, in their order; each of them may read the others.
  ///
  /// - Throws: ``CommonTableDefinition/Failure`` for SQL that is not one SELECT, or that the database refuses.
  func tables(of definitions: [CommonTableDefinition]) throws -> [Table]

  /// Returns the names of the tables that a view or a common table expression reads, as far as the database tells.
  func tables(readBy table: Table) throws -> Set<String>

  /// Returns what tells whether results follow from the database alone.
  func timelessness() throws -> Timelessness
}

/// A common table expression of the model file: a name, and the SELECT that stands for it.
public struct CommonTableDefinition: Sendable {
  /// The name that statements use.
  public var name: String
  /// As the model file has it.
  public var sql: String

  /// A definition that hasn't been checked yet.
  public init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }

  /// What is wrong with one of several definitions.
  public struct Failure: Error, Sendable {
    /// Its place among them.
    public let index: Int
    /// A sentence that names what is wrong.
    public let message: String

    /// An error in the definition at `index`.
    public init(index: Int, message: String) {
      self.index = index
      self.message = message
    }
  }
}
