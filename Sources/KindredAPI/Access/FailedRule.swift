import KindredBackend
import Logging

/// A failure of a statement that may be that of a rule, which can't be computed for a record.
///
/// The request is tried again with rules that don't fail. If that succeeds, it was one: then the records stay out of sight,
/// and later requests use such rules from the start.
struct FailedRule {
  private let error: any BackendError
  private let version: ModelVersion

  /// - Parameter version: The version that the client sees.
  /// - Returns: Nil if no rule can have failed.
  init?(_ error: any BackendError, in version: ModelVersion?) {
    guard let version, !version.fallibleRules.isEmpty else { return nil }
    (self.error, self.version) = (error, version)
  }

  /// Logs the failure, once for the rights of a client and a version of the model.
  func report(to logger: Logger) {
    // Another request may have met it meanwhile.
    guard !version.isCautious, version.preferCaution() else { return }
    let names = version.fallibleRules.map { "`\($0)`" }.joined(separator: ", ")
    logger.warning(
      "The rule of \(names) can't be computed for some records, which stay out of sight.",
      metadata: ["error": "\(error)"])
  }
}
