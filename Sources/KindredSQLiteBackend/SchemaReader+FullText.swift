import KindredModel

extension SchemaReader {
  /// Marks the full-text tables, and the tables that they index as external content, as searchable.
  func resolveFullText(in drafts: inout [TableDraft]) {
    let positions = Dictionary(
      drafts.enumerated().map { ($0.element.name.foldingASCIICase, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    for position in drafts.indices {
      guard let declaration = drafts[position].declaration, let version = declaration.fullTextVersion,
        let rowIDName = drafts[position].rowIDName
      else { continue }
      let name = drafts[position].name
      // The rowid, which is the first column, is not indexed.
      let columns = drafts[position].columns.map(\.name).filter { $0 != rowIDName }
      drafts[position].fullText = FullText(
        table: name, columns: columns, version: version, rowIDName: rowIDName,
        hasColumnFilters: declaration.hasColumnFilters)
      drafts[position].fullText?.isSearchOnly = declaration.isSearchOnly

      guard let content = drafts[position].externalContent, let content = positions[content.foldingASCIICase]
      else { continue }
      drafts[position].content = drafts[content].name
      guard drafts[content].fullText == nil,
        let contentRowID = drafts[content].key(named: declaration.contentRowID)
      else { continue }
      drafts[content].fullText = FullText(
        table: name, columns: columns, version: version, rowIDName: contentRowID,
        hasColumnFilters: declaration.hasColumnFilters)
    }
  }
}

extension TableDraft {
  /// The name of the table that a full-text table indexes as its external content.
  var externalContent: String? {
    guard let content = declaration?.content, !content.isEmpty else { return nil }
    return content
  }

  /// Whether it is a contentless table of FTS4, none of whose columns can be read.
  var isUnreadable: Bool {
    declaration?.fullTextVersion == 4 && declaration?.content?.isEmpty == true
  }

  /// Returns the column, or the rowid, of this table that a full-text table uses as its rowid.
  fileprivate func key(named name: String?) -> String? {
    guard let name else { return table.rowIDName }
    let isRowID = ["rowid", "_rowid_", "oid"].contains(name.foldingASCIICase)
    return columnName(name) ?? (isRowID ? table.rowIDName : nil)
  }
}

extension VirtualTableDeclaration {
  /// The version of the full-text module, 3, 4 or 5; nil for other modules.
  fileprivate var fullTextVersion: Int? {
    ["fts3": 3, "fts4": 4, "fts5": 5][module]
  }

  /// The value of the option `content`: empty for a contentless table, nil for one that stores its content
  /// (<https://www.sqlite.org/fts3.html#the_fts4_content_option>,
  /// <https://www.sqlite.org/fts5.html#external_content_and_contentless_tables>).
  fileprivate var content: String? {
    switch fullTextVersion {
    case 4: arguments.first { $0.name?.equalsIgnoringCase("content") ?? false }?.value
    case 5: value(ofFTS5Option: "content")
    default: nil
    }
  }

  /// The name of the table whose records are shown by it; nil if it has its own.
  var tableShown: String? {
    // The auxiliary tables may name the database first (<https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module>).
    switch module {
    case "fts5vocab": arguments.count == 3 ? arguments[1].value : arguments.first?.value
    case "fts4aux": arguments.last?.value
    default: content.flatMap { $0.isEmpty ? nil : $0 }
    }
  }

  /// Whether the index knows in which column a word is: one of FTS5 without `detail=none`.
  fileprivate var hasColumnFilters: Bool {
    fullTextVersion == 5 && value(ofFTS5Option: "detail")?.foldingASCIICase != "none"
  }

  /// Whether its records can't be listed: FTS5 reads them from their sizes where it has no content.
  var isSearchOnly: Bool {
    fullTextVersion == 5 && content == "" && value(ofFTS5Option: "columnsize") == "0"
  }

  /// The value of the option `content_rowid`, which only FTS5 has.
  fileprivate var contentRowID: String? {
    fullTextVersion == 5 ? value(ofFTS5Option: "content_rowid") : nil
  }

  /// Returns the value of an FTS5 option.
  ///
  /// FTS5 accepts any prefix of a name, and takes the first option that it fits.
  private func value(ofFTS5Option option: String) -> String? {
    let options = [
      "prefix", "tokenize", "content", "contentless_delete", "content_rowid", "columnsize", "detail",
    ]
    return arguments.first { argument in
      guard let name = argument.name?.foldingASCIICase, !name.isEmpty else { return false }
      return options.first { $0.hasPrefix(name) } == option
    }?.value
  }
}
