import ArgumentParser
import KindredAPI

/// Which roles of PostgreSQL clients become.
struct DatabaseRoleSettings: ParsableArguments {
  @Option(
    help: .init(
      "Of PostgreSQL: the claim of tokens that names the role that a client becomes, so that its privileges and policies hold; dots go inside.",
      valueName: "claim"))
  var roleClaim: String?

  @Option(
    help: .init(
      "Of PostgreSQL: the role of clients without a token, or whose token names none; without it, they are refused.",
      valueName: "role"))
  var anonymousRole: String?

  /// Adds the roles to what is said of clients.
  ///
  /// - Throws: `ValidationError`
  func add(to access: inout AccessConfiguration?, for location: DatabaseLocation) throws {
    guard let roleClaim else {
      guard anonymousRole == nil else {
        throw ValidationError("--anonymous-role goes with --role-claim, which names the role of all others")
      }
      return
    }
    guard case .postgreSQL = location else {
      throw ValidationError("--role-claim is for PostgreSQL: a file of SQLite has no roles")
    }
    guard !roleClaim.isEmpty, anonymousRole?.isEmpty != true else {
      throw ValidationError("--role-claim and --anonymous-role need a name")
    }
    var configuration = access ?? AccessConfiguration()
    configuration.databaseRoles = AccessConfiguration.DatabaseRoles(
      claim: roleClaim, anonymous: anonymousRole)
    access = configuration
  }
}
