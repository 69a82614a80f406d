import KindredSQLSyntax

/// Pages of records that a condition finds if there are few, and that are tested in their order if there are many.
///
///     SELECT * FROM (SELECT … WHERE conditions AND key IN (SELECT …) ORDER BY order LIMIT end * few)
///     UNION ALL
///     SELECT * FROM (SELECT … WHERE conditions ORDER BY order LIMIT end * NOT few)
///     LIMIT page
///
/// Which is better depends on the values, so one statement has both, and the database doesn't begin what it may take no row
/// of. The ways to the records are counted up to a number.
extension RecordSelect {
  /// The largest number of ways that are few.
  private static let fewWays: SQL = "1000"

  /// The greatest length of conditions that are written twice.
  private static let maximumLength = 4096

  /// Finds the records by a condition, if there is one that can.
  package mutating func findByCondition() {
    guard isLimited, group == nil, !isDistinct, !isOfDistinctRows, ranking == nil, reach != Self.all,
      source.links.isEmpty, source.isPlain(record.id, of: record.table),
      source.conditions.reduce(0, { $0 + $1.length }) <= Self.maximumLength
    else { return }
    finding = source.conditions.flatMap(\.notes).lazy.compactMap { $0 as? FindingNote }
      .first { $0.record == record.id }
  }

  /// The conditions by which all records are found, in addition to others.
  var findingConditions: [SQL] {
    finding.map { found in
      [found.premise.map { "(NOT (\($0)) OR \(found.condition))" } ?? found.condition]
    } ?? []
  }

  /// Returns the statement; nil if no condition finds the records.
  func found(_ shown: [SQL], page: SQL) -> SQL? {
    guard let finding, !isUnordered, !isReversed else { return nil }
    let count: SQL = "(SELECT COUNT(*) FROM (\(finding.ways) LIMIT \(Self.fewWays))) < \(Self.fewWays)"
    let few: SQL = "(\(finding.premise.map { "\($0) AND \(count)" } ?? count))"
    var (some, many) = (self, self)
    (some.finding, some.ranges, some.findsKeysFirst) = (nil, nil, mayBeReadTwice)
    some.source.conditions.append(finding.condition)
    many.finding = nil
    return union(
      of: [
        some.sql(shown, page: dialect.page(limit: "(\(reach)) * \(few)", offset: nil)),
        many.sql(shown, page: dialect.page(limit: "(\(reach)) * NOT \(few)", offset: nil)),
      ], shown, page: page)
  }
}
