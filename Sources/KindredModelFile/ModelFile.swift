import KindredAssociations

/// What a model file says, before anything in it is looked up.
///
///     resources:
///       authors:
///         table: author
///         sort: name
///         fields: [id, name]
///         hidden: [email]
///         label: name
///         associations:
///           books:   { hasMany: books, foreignKey: [authorId], sort: position }
///           novels:  { from: books, filter: kind = 'novel' }
///           reviews: { hasMany: reviews, through: books, using: reviews }
///           paintings: null
///         access:
///           read: { roles: [reader], rows: id = auth.sub, fields: [id, name] }
///       awards: null
///     commonTableExpressions:
///       authorStats:
///         sql: SELECT authorId, COUNT(*) AS n FROM book GROUP BY authorId
///         key: [authorId]
public struct ModelFile: Sendable {
  /// A part of the file, and where it stands.
  struct Located<Value: Sendable>: Sendable {
    var value: Value
    /// From 1.
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

  /// What a file says of a resource; what it does not say stays as inferred.
  struct ResourceRefinement: Sendable {
    var table: Located<String>?
    var sort: Located<[SortTerm]>?
    var fields: [Located<String>]?
    var hidden: [Located<String>] = []
    var label: Located<String>?
    /// Of a view: what identifies its rows.
    var key: [Located<String>]?
    var associations: [AssociationEntry] = []
    var access: Located<[AccessDefinition]>?
  }

  /// An entry of `access`: what some roles may do.
  struct AccessDefinition: Sendable {
    var verbs: [ResourceAccess.Verb]
    var roles: [Located<String>]?
    var rows: Located<Expression>?
    var fields: [Located<String>]?
  }

  /// An entry of `associations`.
  struct AssociationEntry: Sendable {
    var key: Located<String>
    /// Nil removes the association.
    var definition: AssociationDefinition?
  }

  /// What a file says of an association.
  struct AssociationDefinition: Sendable {
    enum Kind: Sendable, Equatable {
      case belongsTo, hasOne, hasMany
    }

    enum Way: Sendable {
      /// By a foreign key, inferred from the schema where it is nil.
      case foreignKey(Kind, destination: Located<String>, Located<ForeignKeyColumns>?)
      /// Through one association, using another.
      case through(Kind, destination: Located<String>, through: Located<String>, using: Located<String>)
      /// The same as another association of the resource.
      case from(Located<String>)
    }

    /// The columns that refer and those referred to, from the table that holds the foreign key.
    struct ForeignKeyColumns: Sendable {
      var columns: [String]
      /// Nil for those of the schema's foreign key, or the primary key.
      var destinationColumns: [String]?
    }

    var way: Way
    var filter: Located<Expression>?
    var sort: Located<[SortTerm]>?
  }

  /// An entry of `commonTableExpressions`.
  struct CommonTableExpression: Sendable {
    var name: Located<String>
    var sql: Located<String>
    var key: [Located<String>] = []
  }

  /// The file's path, as errors name it.
  let path: String
  var resources: [ResourceEntry] = []
  var commonTableExpressions: [CommonTableExpression] = []

  /// The last part of the path, which clients may know.
  var name: Substring { path.split(separator: "/").last ?? "model file" }
}

/// What is wrong with a model file, and the mend.
public struct ModelFileError: Error, Sendable {
  /// The file's path.
  public let path: String
  /// From 1; nil where the file as a whole is meant.
  public let line: Int?
  /// A sentence that names what is wrong and how to mend it.
  public let message: String

  init(path: String, line: Int?, _ message: String) {
    self.path = path
    self.line = line
    self.message = message
  }
}

extension ModelFileError: CustomStringConvertible {
  /// One line, as in "model.yaml:3: there is no table `auther`: did you mean `author`?".
  public var description: String {
    "\(path)\(line.map { ":\($0)" } ?? ""): \(message)"
  }
}

extension ModelFile {
  /// An error in a line of this file.
  func error(_ line: Int?, _ message: String) -> ModelFileError {
    ModelFileError(path: path, line: line, message)
  }

  /// A name that does not exist: the message ends with the nearest one that does.
  func unknown(
    _ name: Located<String>, _ message: String, among names: some Sequence<String>
  ) -> ModelFileError {
    error(name.line, RequestError.unknown(name.value, .unknownResource, message, among: names).message)
  }

  /// An error of an expression in a line of this file.
  func error(_ line: Int, in member: String, _ error: RequestError) -> ModelFileError {
    let place = error.origin.map { ", character \($0.position + 1)" } ?? ""
    return self.error(line, "\(member)\(place): \(error.message)")
  }
}
