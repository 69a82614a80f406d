import KindredModel

/// The tables to which a column may refer, by its name.
struct ForeignKeyCandidates {
  /// What a name says, the surest first.
  enum Form: CaseIterable {
    /// `author_id`, `authorId`, `author_uuid`.
    case table
    /// `OwnerUserId`; `parent_id` for the table itself.
    case lastWords
    /// `sku`, where that is another table's key.
    case key
    /// `publisher`.
    case bareTable
  }

  let names: GuessedNames

  private static let endings = ["_id", "Id", "ID", "_uuid"]
  /// What refers to a record of the same table, as words without separators.
  private static let ownWords: Set = ["parent", "reportsto", "replyto", "inreplyto"]

  /// Returns the targets of a column by each form that its name has, in the order of the forms.
  ///
  /// None of them is the column itself, and there are none if the name says that the column is the key of the same
  /// table.
  func targets(
    of column: Column, in resource: Resource
  ) -> [(form: Form, targets: [GuessedNames.Target])] {
    let stem = Self.endings.first { column.name.hasSuffix($0) }.map { column.name.dropLast($0.count) }
    let stemWords = stem.map(GuessedNames.words) ?? []
    let ofStem = stemWords.isEmpty ? [] : names.tables(named: stemWords)
    func isSame(_ target: GuessedNames.Target) -> Bool {
      ExactName(target.table.name) == ExactName(resource.table.name)
        && ExactName(target.key.name) == ExactName(column.name)
    }
    if ofStem.contains(where: isSame) { return [] }
    let words = GuessedNames.words(of: column.name)
    let all: [(form: Form, targets: [GuessedNames.Target])] = [
      (.table, ofStem), (.lastWords, lastWords(stemWords, all: words, in: resource)),
      (.key, names.tables(withKey: column.name)), (.bareTable, names.tables(named: words)),
    ]
    return all.map { ($0.form, $0.targets.filter { !isSame($0) }) }.filter { !$0.targets.isEmpty }
  }

  /// Returns the table itself, or the tables that the last words of a stem name: as many words as possible.
  private func lastWords(
    _ stem: [String], all words: [String], in resource: Resource
  ) -> [GuessedNames.Target] {
    if Self.ownWords.contains((stem.isEmpty ? words : stem).joined()), let key = resource.table.onlyKeyColumn,
      !stem.isEmpty || words.count > 1
    {
      return [GuessedNames.Target(resource: resource, key: key, prefixLength: 0)]
    }
    for start in 1..<max(stem.count, 1) {
      let found = names.tables(named: stem[start...])
      if !found.isEmpty { return found }
    }
    return []
  }
}
