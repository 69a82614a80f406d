import ArgumentParser
import KindredAPI

/// The settings that determine with which roles of PostgreSQL clients' statements run.
struct DatabaseRoleSettings: ParsableArguments {
  @Option(
    "PostgreSQL: the token claim that names the role with which a client's statements run, so that its privileges and policies apply; dots lead into objects.",
    value: "claim")
  var roleClaim: String?

  @Option(
    "PostgreSQL: the role of clients without a token, or whose token names no role; by default, they are refused.",
    value: "role")
  var anonymousRole: String?

  @Option(
    "PostgreSQL: the header fields of requests that policies can read in request.headers, separated by commas.",
    value: "names")
  var roleHeaders: String?

  /// The names of the header fields.
  ///
  /// - Throws: `ValidationError`
  private var headerNames: [String] {
    get throws {
      let names = (roleHeaders ?? "").split(separator: ",").map { String($0.trimmingPrefix { $0 == " " }) }
      for name in names {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.tokenCharacters.contains) else {
          throw ValidationError("--role-headers has `\(name)`, which isn't the name of a header field")
        }
        guard !["authorization", "cookie"].contains(name.lowercased()) else {
          throw ValidationError(
            "--role-headers can't hand \(name) to the database, because it holds credentials")
        }
      }
      return names
    }
  }

  /// The characters of names of header fields (RFC 9110 §5.6.2).
  private static let tokenCharacters = Set(
    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

  /// Adds these settings to the access configuration.
  ///
  /// - Throws: `ValidationError`
  func add(to access: inout AccessConfiguration?, for location: DatabaseLocation) throws {
    guard let roleClaim else {
      guard anonymousRole == nil else {
        throw ValidationError("--anonymous-role requires --role-claim, which names the role of other clients")
      }
      guard roleHeaders == nil else {
        throw ValidationError(
          "--role-headers requires --role-claim, which names the roles that policies are for")
      }
      return
    }
    guard location.path == nil else {
      throw ValidationError("--role-claim requires PostgreSQL; SQLite has no roles")
    }
    guard !roleClaim.isEmpty, anonymousRole?.isEmpty != true else {
      throw ValidationError("--role-claim and --anonymous-role must not be empty")
    }
    var configuration = access ?? AccessConfiguration()
    configuration.databaseRoles = AccessConfiguration.DatabaseRoles(
      claim: roleClaim, anonymous: anonymousRole, headers: try headerNames)
    access = configuration
  }
}
