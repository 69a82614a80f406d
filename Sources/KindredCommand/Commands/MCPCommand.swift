import ArgumentParser
import KindredAPI
import KindredBackend
import Logging

/// The command `kindred mcp`.
struct MCPCommand: Configurable {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve a database to an assistant over standard input and output (Model Context Protocol).",
    discussion: """
      Each line of input is a message, and each line of output a reply. A server offers the same at /-/mcp.

      Examples:
        kindred mcp chinook.db
        kindred mcp chinook.db --writable
        kindred mcp chinook.db --model model.yaml --as '{"sub": 1, "roles": ["reader"]}'
      """)

  @Argument(help: "The database, an SQLite file or a PostgreSQL URL.") var database: String
  @Flag(help: "Let the assistant write to the database.") var writable = false
  @Option(
    name: .customLong("as"),
    help: .init(
      "Answer as for a token with these claims (a JSON object); without them, no access rules apply.",
      valueName: "claims"))
  var claims: String?
  @OptionGroup var config: ConfigurationOptions
  @OptionGroup var requests: RequestSettings
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings
  @OptionGroup(title: "PostgreSQL") var roles: DatabaseRoleSettings

  func validate() throws { _ = try Impersonation(claims: claims) }

  func run() throws {
    var opening = DatabaseLocation.Opening()
    opening.isWritable = writable
    opening.configuration = requests.connectionConfiguration
    let location = try DatabaseLocation(self.database)
    let database = try location.open(opening, postgreSQL)
    defer { database.backend.close() }
    var options = try requests.serviceOptions()
    options.isWritable = writable
    options.live = nil
    options.access = try config.access()
    try roles.add(to: &options.access, for: location)
    options.impersonated = try Impersonation(claims: claims)
    let service = try KindredService(
      database.backend, options: options, logger: Logger.kindred(level: .warning),
      model: requests.modelSource())
    while let line = readLine() {
      guard !line.isEmpty, let reply = service.reply(toMessage: Array(line.utf8)) else { continue }
      try StandardOutput.writeLine(reply)
    }
  }
}
