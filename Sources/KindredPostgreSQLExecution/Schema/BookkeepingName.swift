/// The name of the table in which Kindred keeps its own data.
enum BookkeepingName {
  /// The table of responses to requests with an `Idempotency-Key`.
  static let answers = "kindred_idempotency"
}
