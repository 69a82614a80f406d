/// Shrinks a failing trial, as long as it fails in the same way.
struct Shrinker {
  let constants: ConstantEvaluator
  /// The maximum number of comparisons, each of which creates databases.
  private static let budget = 1500

  func shrunk(_ trial: Trial, _ difference: Difference) -> (Trial, Difference) {
    var (best, shown) = (trial, difference)
    var attempts = 0
    var isSmaller = true
    while isSmaller, attempts < Self.budget {
      isSmaller = false
      // Requests are shrunk first, because that is cheapest with an unchanged schema.
      for requests in [true, false] {
        var index = 0
        while true {
          let candidates = requests ? Self.requests(of: best) : Self.schemas(of: best)
          guard index < candidates.count, attempts < Self.budget else { break }
          attempts += 1
          if let found = failure(candidates[index], difference.kind) {
            (best, shown, isSmaller) = (candidates[index], found, true)
          } else {
            index += 1
          }
        }
      }
    }
    return (best, shown)
  }

  private func failure(_ trial: Trial, _ kind: Difference.Kind) -> Difference? {
    guard let comparison = try? Comparison(trial.schema, constants: constants),
      case .difference(let difference) = comparison.outcome(of: trial.request), difference.kind == kind
    else { return nil }
    return difference
  }

  private static func requests(of trial: Trial) -> [Trial] {
    var all: [Request] = []
    func add(_ change: (inout Request) -> Void) {
      var request = trial.request
      change(&request)
      all.append(request)
    }
    if trial.request.count { add { $0.count = false } }
    if trial.request.isLines { add { $0.isLines = false } }
    for node in trial.request.root.reductions { add { $0.root = node } }
    return all.map { Trial(schema: trial.schema, request: $0) }
  }

  private static func schemas(of trial: Trial) -> [Trial] {
    trial.schema.reductions.map { Trial(schema: $0, request: trial.request) }
  }
}
