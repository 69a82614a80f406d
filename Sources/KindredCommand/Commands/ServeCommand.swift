import ArgumentParser

/// The command `kindred serve`.
struct ServeCommand: Configurable {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    // Only a root command accepts the option for completion scripts, which costs a tenth of the start of a server.
    _superCommandName: "kindred",
    abstract: "Serve a database over HTTP.",
    discussion: """
      Without DATABASE, a new sample library is created in a temporary file and served until the server ends.

      Every option can also be set in the environment, and all but --config in the configuration file: --page-size is \
      KINDRED_PAGE_SIZE and pageSize, --tls-key is KINDRED_TLS_KEY and key in the section tls. Options override the \
      environment, which overrides the file.

      SIGTERM and SIGINT end the server once the requests in progress are answered; a second signal ends it at once. \
      SIGHUP reloads the model file, the section `access` of the configuration file, the keys of tokens and the \
      certificate; what is wrong is logged, and the previous version stays in use.

      Examples:
        kindred serve
        kindred serve chinook.db --port 0
        kindred serve chinook.db --writable
        kindred serve postgres://reader@db.example/library
        kindred serve chinook.db --host 0.0.0.0 --page-size 20 --query-timeout 500ms
        KINDRED_PORT=9000 kindred serve chinook.db
        kindred serve chinook.db --config /etc/kindred/kindred.yaml
        kindred serve chinook.db --config /etc/kindred/kindred.yaml --check
        kindred serve chinook.db --host unix:/run/kindred.sock
        curl 'http://127.0.0.1:8080/authors?include=books&limit=1'
      """)

  @Argument(
    help: .init(
      "The database, an SQLite file or a PostgreSQL URL; by default, the sample library.",
      valueName: "database"))
  var path: String?

  @OptionGroup var server: ServerSettings
  @OptionGroup var requests: RequestSettings
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings
  @OptionGroup(title: "PostgreSQL") var roles: DatabaseRoleSettings
  @OptionGroup(title: "Common options") var config: ConfigurationOptions
  @OptionGroup(title: "Files") var migrations: MigrationSettings

  @Flag(
    help:
      "Check the configuration, the model, the access rules, the database and the certificate, report all mistakes, and end without listening."
  )
  var check = false

  var reportsMistakes: Bool { check }

  func run() throws {
    // Before any line is logged.
    LogOutput.standardError.format = LogFormat(server.log.logFormat, .current)
    if check { return try Checkup(of: self).run() }
    // Not in `validate`, which also runs before the environment and the file are applied.
    try Mistakes.first(in: checkSettings)
    // Before any thread is started, because threads inherit the signal mask.
    let signals = Signals()
    let server = try Server(self, environment: .current)
    let line = try server.start(
      whenInterrupted: signals.whenInterrupted, willListen: signals.serverIsStarting)
    defer { server.stop() }
    try StandardOutput.writeLine(line)
    signals.waitForEnd { server.reload() }
  }
}
