import OracleValues

/// Compares the results of random requests.
public struct OracleRun {
  let seed: UInt64
  /// Whether access rules restrict the rows that clients may read.
  let hasRules: Bool
  /// The number of requests on a schema before the next one is generated.
  private static let requestsPerSchema = 40

  /// The number of requests with the expected result.
  public private(set) var passed = 0
  /// The number of these that GRDB has answered too.
  public private(set) var comparedWithGRDB = 0
  /// How many requests meant nothing.
  public private(set) var meaningless = 0
  /// The findings, each as short as it could be made.
  public private(set) var failures: [String] = []

  /// Creates a run that the same seed reproduces.
  ///
  /// - Parameter hasRules: Whether access rules restrict the rows that clients may read.
  public init(seed: UInt64, hasRules: Bool = false) {
    self.seed = seed
    self.hasRules = hasRules
  }

  /// - Parameters:
  ///   - requests: The number of requests.
  ///   - limit: The number of failures that ends the run.
  ///   - progress: Called after each schema.
  public mutating func run(requests: Int, failures limit: Int = 20, progress: (OracleRun) -> Void = { _ in })
    throws
  {
    let constants = try ConstantEvaluator()
    var random = SplitMix64(seed: seed)
    while passed + failures.count < requests, failures.count < limit {
      var schemas = SchemaGenerator(random: SplitMix64(seed: random.next()))
      var schema = schemas.schema(removes: true)
      if hasRules { AccessGenerator.addRules(to: &schema, &random) }
      let comparison = try Comparison(schema, constants: constants)
      var generator = RequestGenerator(schema: schema, random: SplitMix64(seed: random.next()))
      for _ in 0..<min(Self.requestsPerSchema, requests - passed - failures.count) {
        let request = generator.request()
        switch comparison.outcome(of: request) {
        case .agreement: passed += 1
        // A name that a node of the request has taken.
        case .meaningless: meaningless += 1
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
