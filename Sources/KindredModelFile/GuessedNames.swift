import KindredModel

/// The tables of a database by the names that columns may give them.
struct GuessedNames {
  /// A table with a key of one column.
  struct Target: Sendable {
    let resource: Resource
    /// The column that foreign keys refer to.
    let key: Column
    /// The number of words that are left out at the beginning of its name.
    let prefixLength: Int

    var table: Table { resource.table }
  }

  /// The tables by their names without separators, in lower case: `orderdetail`.
  private var targets: [String: [Target]] = [:]
  /// The tables by the name of their key, in lower case.
  private var targetsByKey: [String: [Target]] = [:]

  /// The first words that say nothing about a table, in lower case (Microsoft Access).
  private static let emptyPrefixes: Set = ["tbl", "tlkp"]
  /// The number of tables that have a prefix in common, if that is no part of their names.
  private static let sharing = 3
  /// The largest number of tables whose values are compared with those of a column that has the name of their keys.
  private static let mostCandidates = 8
  /// Keys that have this name in many tables.
  private static let commonKeys: Set = ["id", "name", "key", "code"]

  init(_ resources: [Resource]) {
    let named = resources.map { (resource: $0, words: Self.words(of: $0.table.name)) }
    var prefixes: [[String]: Int] = [:]
    for (_, words) in named {
      for length in 1..<max(words.count, 1) { prefixes[Array(words.prefix(length)), default: 0] += 1 }
    }
    for (resource, words) in named {
      guard let key = resource.table.onlyKeyColumn else { continue }
      if !Self.commonKeys.contains(key.name.lowercased()) {
        targetsByKey[key.name.lowercased(), default: []].append(
          Target(resource: resource, key: key, prefixLength: 0))
      }
      for length in 0..<words.count {
        let prefix = Array(words.prefix(length))
        guard
          length == 0 || prefixes[prefix, default: 0] >= Self.sharing
            || Self.emptyPrefixes.contains(prefix[0])
        else { continue }
        let rest = words.dropFirst(length)
        let target = Target(resource: resource, key: key, prefixLength: length)
        let singular = rest.dropLast() + [Inflector.singular(rest.last ?? "")]
        for name in Set([rest.joined(), singular.joined()]) { targets[name, default: []].append(target) }
      }
    }
  }

  /// Returns the tables with a name, those without the fewest words of it.
  func tables(named words: some Sequence<String>) -> [Target] {
    let found = targets[words.joined()] ?? []
    let shortest = found.map(\.prefixLength).min()
    return found.filter { $0.prefixLength == shortest }
  }

  /// Returns the tables whose key has the name of a column, unless many have it.
  func tables(withKey name: String) -> [Target] {
    let found = targetsByKey[name.lowercased()] ?? []
    return found.count > Self.mostCandidates ? [] : found
  }

  /// Returns the words of a name in lower case.
  static func words(of name: some StringProtocol) -> [String] {
    IdentifierWords(String(name)).words.map { $0.lowercased() }
  }
}

extension Table {
  /// The only column of the primary key or, if no key is declared, of a unique key; nil if there is none.
  var onlyKeyColumn: Column? {
    let isRowID = isKeyless && rowIDName != nil
    let keys = (isRowID || isKeyUnchecked ? [] : [primaryKey]) + (isKeyless ? uniqueKeys : [])
    let key = keys.first { $0.count == 1 && !(isRowID && $0 == [0]) }
    return key.map { columns[$0[0]] }
  }

  /// Whether the database stores its records.
  var isStored: Bool { kind == .table || isKeyless }
}
