/// The names of the tables in which Kindred keeps its own data, which are no resources.
enum BookkeepingName {
  /// The table of responses to requests with an `Idempotency-Key`.
  static let answers = "kindred_idempotency"

  /// The table of applied migrations.
  static let migrations = "kindred_migration"

  static let all: Set = [answers, migrations]
}
