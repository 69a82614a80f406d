import KindredModel
import KindredHTTP
import Logging

/// Identifies the client of a request, and determines whether it is an operator.
final class AccessControl: Sendable {
  private let authenticator: Authenticator
  private let models: ModelSource
  private let isConfigured: Bool
  private let isImpersonated: Bool
  private let operatorRoles: NameSet
  /// The names of the header fields that policies of the database can read.
  let policyHeaders: [String]

  /// - Throws: `KeySetError` if the set of keys can't be read.
  init(_ options: KindredService.Options, _ models: ModelSource, logger: Logger) throws {
    authenticator = try Authenticator(
      options.access ?? AccessConfiguration(), impersonating: options.impersonated, logger: logger)
    self.models = models
    isConfigured = options.access != nil
    isImpersonated = options.impersonated != nil
    operatorRoles = options.access?.operatorRoles ?? []
    policyHeaders = options.access?.databaseRoles?.headers ?? []
  }

  /// Whether access rules or credentials are configured.
  var isRestricted: Bool { isConfigured || models.hasAccessRules }

  /// Returns the principal of a request.
  ///
  /// - Throws: `Problem` (401) for invalid credentials.
  func principal(of request: HTTPRequest) throws -> Principal {
    // The claims of `--as` are checked even where no rule reads them.
    guard isRestricted || isImpersonated else { return .operator }
    return try authenticator.principal(of: request, models.known?.vocabulary ?? AccessVocabulary())
  }

  /// Returns what identifies the client by its credentials, or nil without valid ones.
  func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? {
    guard isRestricted else { return nil }
    return authenticator.identity(
      of: request, models.known?.vocabulary ?? AccessVocabulary(), verifying: verifying)
  }

  /// Returns whether the key that signed the principal's token is no longer accepted.
  func isWithdrawn(_ principal: Principal) -> Bool { authenticator.isWithdrawn(principal) }

  /// - Throws: `RequestError` (`forbidden`) unless the principal is an operator.
  func checkOperator(_ principal: Principal, _ name: String) throws {
    // The user who runs the program is an operator, even on behalf of others.
    guard isImpersonated || principal.hasRole(among: operatorRoles) else {
      throw RequestError.forbidden(name)
    }
  }
}
