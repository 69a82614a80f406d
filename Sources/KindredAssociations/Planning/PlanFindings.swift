import OrderedCollections

/// What is found out while the selects are built, and has to be part of the plan.
struct PlanFindings {
  var missingIndexes: OrderedSet<String> = []
  var mismatches: OrderedSet<String> = []
  var transients: OrderedDictionary<String, TransientTable> = [:]
  /// The full-text patterns to validate before the first byte is sent.
  var searches: [Plan.SearchCheck] = []
  /// Whether values of the request are part of the SQL.
  var readsLiterals = false

  /// Adds the findings about a request that was planned separately.
  ///
  /// Its searches are left out, because they refer to literals of its own: a malformed pattern is an error of the
  /// statement.
  mutating func add(_ other: PlanFindings) {
    missingIndexes.formUnion(other.missingIndexes)
    mismatches.formUnion(other.mismatches)
    transients.merge(other.transients) { first, _ in first }
    readsLiterals = readsLiterals || other.readsLiterals
  }
}

extension Plan {
  mutating func add(_ findings: PlanFindings) {
    searches = findings.searches
    readsLiterals = findings.readsLiterals
    transients = Array(findings.transients.values)
    missingIndexes = Array(findings.missingIndexes)
    mismatches = Array(findings.mismatches)
  }
}
