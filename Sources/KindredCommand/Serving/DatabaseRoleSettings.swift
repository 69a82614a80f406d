import ArgumentParser
import KindredAPI

/// The settings that determine with which roles of PostgreSQL clients' statements run.
struct DatabaseRoleSettings: ParsableArguments {
  @Option(
    help: .init(
      "PostgreSQL: the token claim that names the role with which a client's statements run, so that its privileges and policies apply; dots lead into objects.",
      valueName: "claim"))
  var roleClaim: String?

  @Option(
    help: .init(
      "PostgreSQL: the role of clients without a token, or whose token names no role; by default, they are refused.",
      valueName: "role"))
  var anonymousRole: String?

  /// Adds these settings to the access configuration.
  ///
  /// - Throws: `ValidationError`
  func add(to access: inout AccessConfiguration?, for location: DatabaseLocation) throws {
    guard let roleClaim else {
      guard anonymousRole == nil else {
        throw ValidationError("--anonymous-role requires --role-claim, which names the role of other clients")
      }
      return
    }
    guard case .postgreSQL = location else {
      throw ValidationError("--role-claim requires PostgreSQL; SQLite has no roles")
    }
    guard !roleClaim.isEmpty, anonymousRole?.isEmpty != true else {
      throw ValidationError("--role-claim and --anonymous-role must not be empty")
    }
    var configuration = access ?? AccessConfiguration()
    configuration.databaseRoles = AccessConfiguration.DatabaseRoles(
      claim: roleClaim, anonymous: anonymousRole)
    access = configuration
  }
}
