import OracleValues

/// Thousands of random requests, compared.
public struct OracleRun {
  let seed: UInt64
  /// Whether clients may read some rows only.
  let hasRules: Bool
  /// Requests on one schema, before the next one is made.
  private static let requestsPerSchema = 40

  /// How many requests were answered as they should be.
  public private(set) var passed = 0
  /// How many of them GRDB answered too.
  public private(set) var comparedWithGRDB = 0
  /// The findings, each as short as it could be made.
  public private(set) var failures: [String] = []

  /// A run that a seed repeats.
  ///
  /// - Parameter hasRules: whether clients may read some rows only.
  public init(seed: UInt64, hasRules: Bool = false) {
    self.seed = seed
    self.hasRules = hasRules
  }

  /// - Parameters:
  ///   - requests: how many.
  ///   - limit: how many failures end the run.
  ///   - progress: told of every schema that is done.
  public mutating func run(requests: Int, failures limit: Int = 20, progress: (OracleRun) -> Void = { _ in })
    throws
  {
    let constants = try ConstantEvaluator()
    var random = SplitMix64(seed: seed)
    while passed + failures.count < requests, failures.count < limit {
      var schemas = SchemaGenerator(random: SplitMix64(seed: random.next()))
      var schema = schemas.schema()
      if hasRules { AccessGenerator.addRules(to: &schema, &random) }
      let comparison = try Comparison(schema, constants: constants)
      var generator = RequestGenerator(schema: schema, random: SplitMix64(seed: random.next()))
      for _ in 0..<min(Self.requestsPerSchema, requests - passed - failures.count) {
        let request = generator.request()
        switch comparison.outcome(of: request) {
        case .agreement: passed += 1
        case .meaningless(let why): failures.append("meaningless (\(why)): \(request.parameters)")
        case .difference(let difference):
          let shrinker = Shrinker(constants: constants)
          let (trial, shortest) = shrinker.shrunk(Trial(schema: schema, request: request), difference)
          failures.append(Finding(trial: trial, difference: shortest).description)
        }
      }
      comparedWithGRDB += comparison.comparedWithGRDB
      progress(self)
    }
  }
}
