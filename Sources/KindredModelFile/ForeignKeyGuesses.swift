import KindredModel
import KindredPlanning

/// Proposes the foreign keys that a schema doesn't declare, with the evidence for each.
///
/// A name proposes, the values decide: 95 % of up to 1,000 distinct ones must be found.
public struct ForeignKeyGuesses: Sendable {
  /// A proposal.
  struct Guess: Sendable {
    let column: Column
    let target: GuessedNames.Target
    /// What speaks for it, and against it.
    let evidence: String
    /// Whether it is proposed, rather than mentioned.
    let isCertain: Bool
  }

  /// The proposals for each resource that has any, in the order of the tables and columns.
  let resources: [(resource: Resource, guesses: [Guess])]

  /// The largest number of rows that are read of a column, and of its values that are looked for.
  private static let (rows, values) = (100_000, 1000)
  /// The percentage of values that must be found.
  private static let share: Int64 = 95

  /// Reads the values of the columns whose names propose something.
  ///
  /// - Throws: The database's error if it can't be read.
  public init(_ model: Model, of source: any SchemaSource) throws {
    var seen: Set<ExactName> = []
    let stored = model.resources.values.filter {
      $0.table.isStored && seen.insert(ExactName($0.table.name)).inserted
    }
    let candidates = ForeignKeyCandidates(names: GuessedNames(stored))
    resources = try stored.compactMap { resource in
      let known = Self.referringColumns(of: resource)
      let guesses = try resource.table.columns.flatMap { column -> [Guess] in
        if known.contains(column.name) { return [] }
        return try Self.guesses(
          candidates.targets(of: column, in: resource), for: column, in: resource, source)
      }
      return guesses.isEmpty ? nil : (resource, guesses)
    }
  }

  /// The columns that refer to another table already, each by itself, and the `rowid` of a table without a key.
  private static func referringColumns(of resource: Resource) -> NameSet {
    var known = NameSet(resource.associations.values.compactMap(\.steps.onlyReferringColumn))
    if resource.table.isKeyless, let rowID = resource.table.rowIDName { known.insert(rowID) }
    return known
  }

  private static func guesses(
    _ forms: [(form: ForeignKeyCandidates.Form, targets: [GuessedNames.Target])], for column: Column,
    in resource: Resource, _ source: any SchemaSource
  ) throws -> [Guess] {
    var doubtful: [Guess] = []
    for (form, targets) in forms {
      let guesses = try targets.map { target in
        try guess(target, by: form, for: column, in: resource, source)
      }
      let certain = guesses.filter(\.isCertain)
      if certain.count == 1 { return certain }
      doubtful += guesses.filter { guess in
        !doubtful.contains { $0.target.resource.name == guess.target.resource.name }
      }
      // Several tables are as likely.
      if certain.count > 1 { break }
    }
    return doubtful.map {
      Guess(column: $0.column, target: $0.target, evidence: $0.evidence, isCertain: false)
    }
  }

  private static func guess(
    _ target: GuessedNames.Target, by form: ForeignKeyCandidates.Form, for column: Column,
    in resource: Resource, _ source: any SchemaSource
  ) throws -> Guess {
    func guess(_ evidence: String, isCertain: Bool) -> Guess {
      let index = resource.table.isIndexed([column.name]) ? "indexed" : "no index"
      return Guess(column: column, target: target, evidence: "\(evidence); \(index)", isCertain: isCertain)
    }
    guard column.isComparable(with: target.key) else {
      return guess("\(column.typeName) here, \(target.key.typeName) there", isCertain: false)
    }
    let (found, total) = try source.countValues(
      of: column, in: resource.table, amongFirst: rows, upTo: values, foundIn: target.key, of: target.table)
    if total == 0 { return guess("no values", isCertain: form == .table) }
    // A table's own key that is another's too may be either's.
    let isOwnKey = form == .key && resource.table.onlyKeyColumn?.name == column.name
    return guess(
      "\(found.grouped) of \(total.grouped) values found",
      isCertain: found * 100 >= total * share && !isOwnKey)
  }
}

extension Column {
  /// Whether both columns have values of one kind.
  fileprivate func isComparable(with other: Column) -> Bool {
    affinity == other.affinity && comparedType == other.comparedType
  }

  /// The declared type as far as equality needs it, on databases that compare values of one type only: PostgreSQL has
  /// no column without a collation or type, and SQLite compares all values.
  private var comparedType: String {
    switch declaredType {
    case "uuid", "inet", "date", "boolean", "bytea": declaredType
    default: ""
    }
  }

  fileprivate var typeName: String { declaredType.isEmpty ? "no type" : declaredType }
}

extension Int64 {
  /// The digits with commas between groups of three.
  fileprivate var grouped: String {
    let digits = Array(String(self))
    return String(
      digits.enumerated().flatMap { place, digit in
        place > 0 && (digits.count - place) % 3 == 0 ? [",", digit] : [digit]
      })
  }
}
