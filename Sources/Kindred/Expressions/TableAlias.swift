import KindredModel
import KindredSQLSyntax

/// A name for one record of a request, whatever its type.
public class TableAliasBase: Hashable, @unchecked Sendable {
  // The properties never change, so that subclasses, which add none, are as safe as a final class.
  let alias: RecordAlias
  /// The name of a record that is no part of the request, such as `excluded` in an upsert.
  private let qualifier: String?

  init(_ alias: RecordAlias, qualifier: String? = nil) {
    self.alias = alias
    self.qualifier = qualifier
  }

  /// The expression, evaluated for the record.
  public subscript(expression: some SQLSpecificExpressible) -> SQLExpression {
    let (alias, expression) = (alias, expression.sqlExpression)
    if let qualifier, let column = expression.columnName {
      return .raw([.text("\(SQLText.quoted(qualifier)).\(SQLText.quoted(column))")])
    }
    return SQLExpression([expression]) { .program(.of(alias, $0[0])) }
  }

  /// The column of the record with a name.
  public subscript(column: String) -> SQLExpression { self[Column(column)] }

  /// The term of an order, evaluated for the record.
  public subscript(ordering: SQLOrdering) -> SQLOrdering {
    SQLOrdering(
      expression: self[ordering.expression], isDescending: ordering.isDescending, nulls: ordering.nulls)
  }

  /// Whether the record exists; after an optional join it may be missing.
  ///
  /// The rows of views and common table expressions have no key, so a row whose columns are all NULL counts as
  /// missing.
  public var exists: SQLExpression {
    let alias = alias
    return SQLExpression { resolver in try resolver.presence(of: alias) }
  }

  /// Whether both are the same alias.
  public static func == (left: TableAliasBase, right: TableAliasBase) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A name for one record of a request, by which expressions elsewhere in the request refer to its columns.
///
///     let author = TableAlias<Author>()
///     let posthumous = Book
///       .joining(required: Book.author.aliased(author))
///       .filter { $0.publishDate >= author.deathDate }
///
/// An alias stands for exactly one record of a request; otherwise fetching throws. `TableAlias()` is one of a record of
/// any type, whose columns are written `author[Column("deathDate")]`.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
  /// Creates an alias.
  ///
  /// - Parameter name: The alias in the request's SQL, for use in SQL snippets; by default a name that is free.
  public init(name: String? = nil) { super.init(RecordAlias(name: name)) }

  /// Creates an alias of a record of any type.
  ///
  /// - Parameter name: The alias in the request's SQL, for use in SQL snippets; by default a name that is free.
  public init(name: String? = nil) where RowDecoder == Void { super.init(RecordAlias(name: name)) }

  /// Creates the name of a record that is no part of the request.
  init(qualifier: String) { super.init(RecordAlias(name: nil), qualifier: qualifier) }

  /// Creates another reference to an alias.
  init(of alias: RecordAlias) { super.init(alias) }
}
