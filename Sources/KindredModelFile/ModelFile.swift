import KindredModel

/// The contents of a model file, before its names are resolved.
///
///     resources:
///       authors:
///         table: author
///         sort: name
///         fields: [id, name]
///         hidden: [email]
///         label: name
///         search: { column: words, configuration: english }
///         associations:
///           books:   { hasMany: books, foreignKey: [authorId], sort: position }
///           novels:  { from: books, filter: kind = 'novel' }
///           reviews: { hasMany: reviews, through: books, using: reviews }
///           paintings: null
///         foreignKeys: { mentorId: authors, countryCode: { countries: code } }
///         columns:
///           fullName: firstName || ' ' || lastName
///         access:
///           read: { roles: [reader], rows: id = auth.sub, fields: [id, name] }
///       awards: null
///     access:
///       read: { roles: [reader] }
///     commonTableExpressions:
///       authorStats:
///         sql: SELECT authorId, COUNT(*) AS n FROM book GROUP BY authorId
///         key: [authorId]
///       sales:
///         parameters: { since: text, country: { type: text, default: null } }
///         sql: SELECT … WHERE soldOn >= :since AND (:country IS NULL OR country = :country)
///     actions:
///       restock:
///         parameters: { product: integer, by: integer }
///         sql: UPDATE product SET stock = stock + :by WHERE id = :product RETURNING id, stock
public struct ModelFile: Sendable {
  /// A part of the file and its line.
  struct Located<Value: Sendable>: Sendable {
    var value: Value
    /// The line number, from 1.
    var line: Int

    init(_ value: Value, line: Int) {
      self.value = value
      self.line = line
    }
  }

  /// An entry of `resources`.
  struct ResourceEntry: Sendable {
    var name: Located<String>
    /// Nil removes the resource.
    var refinement: ResourceRefinement?
  }

  /// The refinement of a resource; members that are not given stay as inferred.
  struct ResourceRefinement: Sendable {
    var table: Located<String>?
    var sort: Located<[SortTerm]>?
    var fields: [Located<String>]?
    var hidden: [Located<String>] = []
    var label: Located<String>?
    /// The vector in which searches look, and its configuration.
    var search: SearchDefinition?
    /// The columns that identify the rows of a view, or of a table without a declared key.
    var key: [Located<String>]?
    /// The foreign keys that the schema lacks.
    var foreignKeys: [ForeignKeyEntry] = []
    var associations: [AssociationEntry] = []
    var columns: [(name: Located<String>, expression: Located<Expression>)] = []
    var access: Located<[AccessDefinition]>?
  }

  /// The value of `search`.
  struct SearchDefinition: Sendable {
    var line: Int
    /// The `tsvector` column; nil for the only one.
    var column: Located<String>?
    /// The text search configuration; nil for that of the column.
    var configuration: Located<String>?
  }

  /// An entry of `access`: what its roles may do.
  struct AccessDefinition: Sendable {
    var verbs: [ResourceAccess.Verb]
    var roles: [Located<String>]?
    var rows: Located<Expression>?
    var fields: [Located<String>]?
    /// The columns that the server sets.
    var presets: [(column: Located<String>, expression: Located<Expression>)] = []
  }

  /// An entry of `associations`.
  struct AssociationEntry: Sendable {
    var key: Located<String>
    /// Nil removes the association.
    var definition: AssociationDefinition?
  }

  /// The definition of an association.
  struct AssociationDefinition: Sendable {
    enum Kind: Sendable, Equatable {
      case belongsTo, hasOne, hasMany
    }

    enum Way: Sendable {
      /// By a foreign key; nil for the only one of the schema.
      case foreignKey(Kind, destination: Located<String>, Located<ForeignKeyColumns>?)
      /// Through an association of the resource, using one of the resource that it leads to.
      case through(Kind, destination: Located<String>, through: Located<String>, using: Located<String>)
      /// Like another association of the resource.
      case from(Located<String>)
    }

    /// The columns of a foreign key.
    struct ForeignKeyColumns: Sendable {
      /// The referring columns.
      var columns: [String]
      /// The columns referred to; nil for those of the schema's foreign key, else the primary key.
      var destinationColumns: [String]?
    }

    var way: Way
    var filter: Located<Expression>?
    var sort: Located<[SortTerm]>?
    /// The values of parameters, by name.
    var parameters: [(name: Located<String>, value: ParameterText)] = []
  }

  /// The value of a parameter as the file has it.
  enum ParameterText: Sendable {
    case null
    case text(String)
  }

  /// An entry of `commonTableExpressions`.
  struct CommonTableExpression: Sendable {
    var name: Located<String>
    var sql: Located<String>
    var parameters: [Located<QueryParameter>] = []
    var key: [Located<String>] = []
    /// The name of the resource whose records its rows are.
    var resource: Located<String>?
  }

  /// An entry of `actions`.
  struct ActionEntry: Sendable {
    var name: Located<String>
    var parameters: [Located<ActionParameter>] = []
    var sql: Located<String>
    /// The name of the resource whose records its rows are.
    var resource: Located<String>?
    var isSingle = false
    /// The roles of each entry of its access, nil for everybody; nil if there is no `access`.
    var access: [NameSet?]?
  }

  /// The path of the file, for error messages.
  let path: String
  var resources: [ResourceEntry] = []
  var commonTableExpressions: [CommonTableExpression] = []
  /// The access rules of the resources without any.
  var access: Located<[AccessDefinition]>?
  var actions: [ActionEntry] = []
  /// The errors of the parts that are missing here, which are reported with those of the rest.
  var errors: [ModelFileError] = []

  /// Throws the errors of the parts that are missing here.
  public func checkDraft() throws { try ModelFileErrors(errors).check() }

  /// Whether it has access rules, for all resources or for any, or for an action.
  public var hasAccess: Bool {
    access != nil || resources.contains { $0.refinement?.access != nil }
      || actions.contains { $0.access != nil }
  }

  /// The last component of the path, which is all of it that clients may see.
  var name: Substring { path.split(separator: "/").last ?? "model file" }
}

/// An error in a model file, with a suggested fix.
public struct ModelFileError: Error, Sendable {
  /// The path of the file.
  public let path: String
  /// The line number, from 1; nil if the error concerns the whole file.
  public let line: Int?
  /// A sentence that describes the error and how to fix it.
  public let message: String
  /// The other errors of the same file that were found with it.
  public internal(set) var others: [ModelFileError] = []

  init(path: String, line: Int?, _ message: String) {
    self.path = path
    self.line = line
    self.message = message
  }
}

extension ModelFileError: CustomStringConvertible {
  /// One line, such as "model.yaml:3: there is no table `auther`; did you mean `author`?".
  public var description: String {
    "\(path)\(line.map { ":\($0)" } ?? ""): \(message)"
  }
}

extension ModelFile {
  /// Returns an error in a line of this file.
  func error(_ line: Int?, _ message: String) -> ModelFileError {
    ModelFileError(path: path, line: line, message)
  }

  /// Returns the error of an unknown name, whose message ends with the nearest existing one.
  func unknown(
    _ name: Located<String>, _ message: String, among names: some Sequence<String>
  ) -> ModelFileError {
    error(name.line, RequestError.unknown(name.value, .unknownResource, message, among: names).message)
  }

  /// Returns the error of an expression in a line of this file.
  ///
  /// - Parameter advice: What follows the message of the error.
  func error(_ line: Int, in member: String, _ error: RequestError, _ advice: String = "") -> ModelFileError {
    let place = error.origin.map { ", character \($0.position + 1)" } ?? ""
    return self.error(line, "\(member)\(place): \(error.message)\(advice)")
  }
}
