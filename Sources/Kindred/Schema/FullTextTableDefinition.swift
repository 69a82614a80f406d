/// A full-text table being created.
public final class FullTextTableDefinition {
  /// A column being created.
  public final class Column {
    let name: String
    private(set) var isIndexed = true
    private(set) var isLanguageID = false

    init(name: String) {
      self.name = name
    }

    /// Leaves the column out of the index.
    @discardableResult
    public func notIndexed() -> Self {
      isIndexed = false
      return self
    }

    /// Makes the column the number of the language, of version 4.
    @discardableResult
    public func asLanguageId() -> Self {
      isLanguageID = true
      return self
    }
  }

  private(set) var columns: [Column] = []
  /// The table that the index follows; nil if it follows none.
  private(set) var source: String?
  private(set) var options: [String] = []
  /// How texts are split into words; SQLite's default if nil.
  public var tokenizer: FullTextTokenizer?
  /// The lengths of prefixes that are indexed too.
  public var prefixes: Set<Int>?
  /// The table whose columns are indexed, without being followed; empty for an index that keeps no texts, and nil for
  /// one that keeps its own.
  public var content: String?
  /// The column of ``content`` that is the rowid, of version 5.
  public var contentRowID: String?
  /// The function that compresses texts, of version 4.
  public var compress: String?
  /// The function that undoes ``compress``, of version 4.
  public var uncompress: String?
  /// The details that are kept for `matchinfo`, of version 4: `fts3` keeps less.
  public var matchinfo: String?
  /// Whether the sizes of columns are kept, of version 5: 0 keeps none.
  public var columnSize: Int?
  /// The details of each word that are kept, of version 5: `full`, `column` or `none`.
  public var detail: String?

  /// The lengths of prefixes with a separator.
  func prefixOption(separator: String) -> String? {
    prefixes.map { $0.sorted().map(String.init).joined(separator: separator) }
  }

  /// The table whose columns are indexed; nil for an index that keeps its own texts.
  var contentTable: String? { source ?? content }

  /// Adds a column.
  @discardableResult
  public func column(_ name: String) -> Column {
    let column = Column(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table an index of another one, which it follows by triggers.
  public func synchronize(withTable table: String) { source = table }

  /// Adds an option of the module, such as `columnsize=0`.
  public func option(sql: String) { options.append(sql) }
}
