import ArgumentParser
import Foundation
import KindredAPI
import KindredBackend
import KindredHTTP
import Logging

/// The command `kindred query`.
struct QueryCommand: Configurable {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Answer one request without starting a server.",
    discussion: """
      Examples:
        kindred query chinook.db /albums/1
        kindred query chinook.db '/albums?include=tracks&limit=1'
        kindred query chinook.db '/albums?include=tracks&limit=1' --format pretty
        kindred query chinook.db '/albums?include=tracks&limit=1' --explain
        kindred query chinook.db /albums --format csv > albums.csv
        kindred query postgres://reader@db.example/library /albums/1
        kindred query chinook.db /albums --model model.yaml --as '{"sub": 1, "roles": ["reader"]}'
      """)

  /// The format of the answer.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, ndjson, csv
    /// JSON with each value on a line of its own.
    case pretty

    fileprivate var mediaType: String {
      switch self {
      case .json, .pretty: "application/json"
      case .ndjson: "application/x-ndjson"
      case .csv: "text/csv"
      }
    }
  }

  @Argument(help: "The database, an SQLite file or a PostgreSQL URL.") var database: String
  @Argument(
    help: .init("The path and the parameters, as in a request to a server.", valueName: "url"),
    completion: .custom { words, _, typed in QueryCommand.completions(of: words, typed: typed) })
  var url: String
  @Option(help: "The format of the answer, unless the URL sets it: json, ndjson, csv, or pretty.")
  var format = Format.json
  @Flag(help: "Show the SQL and the query plans instead of the answer.") var explain = false
  @Option(
    name: .customLong("as"),
    help: .init(
      "Answer as for a token with these claims (a JSON object); without them, no access rules apply.",
      valueName: "claims"))
  var claims: String?
  @OptionGroup var config: ConfigurationOptions
  @OptionGroup(title: "Requests") var requests: RequestSettings
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings
  @OptionGroup(title: "PostgreSQL") var roles: DatabaseRoleSettings

  func validate() throws { _ = try Impersonation(claims: claims) }

  func run() throws {
    let logger = Logger.kindred(level: .warning)
    var opening = DatabaseLocation.Opening()
    opening.configuration = requests.connectionConfiguration
    let location = try DatabaseLocation(self.database)
    let database = try location.open(opening, postgreSQL)
    defer { database.backend.close() }
    var options = requests.serviceOptions
    options.access = try config.access()
    try roles.add(to: &options.access, for: location)
    options.impersonated = try Impersonation(claims: claims)
    let service = try KindredService(
      database.backend, options: options, logger: logger, model: requests.modelSource())
    let response = service.respond(
      to: HTTPRequest(method: .get, target: target, headers: ["Accept": format.mediaType]))
    if response.status.code >= 400 {
      throw RefusedRequest(response)
    }
    if explain {
      try StandardOutput.writeLine(StatementListing(response).description)
    } else {
      let isIndented = format == .pretty && response.headers["Content-Type"] == Format.pretty.mediaType
      try StandardOutput.write(response.body, isIndented: isIndented)
    }
  }

  /// The URL without scheme, host and fragment, so that a URL from a browser works too.
  private var target: String {
    var target = url.prefix { $0 != "#" }
    if let scheme = target.range(of: "://"), !target[..<scheme.lowerBound].contains("/") {
      target = target[scheme.upperBound...]
      target = target[(target.firstIndex { $0 == "/" || $0 == "?" } ?? target.endIndex)...]
    }
    let path = target.hasPrefix("/") ? String(target) : "/\(target)"
    guard explain else { return path }
    return path + (path.contains("?") ? "&" : "?") + "explain=true"
  }
}
