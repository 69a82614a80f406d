import KindredPlanning
import ArgumentParser
import Foundation
import KindredAPI
import KindredModel
import KindredBackend
import KindredClients
import KindredHTTP
import KindredHTTPClient
import KindredModelFile
import Logging

/// The command `kindred client`.
struct ClientCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client",
    abstract: "Print a typed client of a database or of a server.",
    discussion: """
      Examples:
        kindred client typescript chinook.db > kindred.ts
        kindred client typescript postgres://reader@db.example/library --output kindred.ts
        kindred client typescript library.db --integers text --react --output kindred.ts
        kindred client typescript https://api.example/ --token "$TOKEN" --output kindred.ts
        kindred client python chinook.db --output kindred.py
        kindred client swift chinook.db --model model.yaml > Records.swift
      """,
    subcommands: [TypeScript.self, Python.self, Swift.self])

  /// The command `kindred client typescript`.
  struct TypeScript: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "typescript",
      abstract: "Print a client in TypeScript whose results have the types of the requests.")

    @OptionGroup var source: ClientSource
    @Option(
      help: .init(
        "What integers of 64 bits and PostgreSQL's numeric are: number, or text, which is exact.",
        valueName: "number|text"))
    var integers = Integers.number
    @Flag(help: "Add useLive, a hook of React for live results.")
    var react = false

    /// What integers are that a number of JavaScript may round.
    enum Integers: String, ExpressibleByArgument {
      case number, text
    }

    func run() throws {
      var options = TypeScriptClient.Options()
      options.hasIntegersAsText = integers == .text
      options.hasReact = react
      try source.write(TypeScriptClient(source.schema(), options: options).text)
    }
  }

  /// The command `kindred client python`.
  struct Python: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "python",
      abstract: "Print a typed client in Python, which needs httpx.")

    @OptionGroup var source: ClientSource

    func run() throws { try source.write(PythonClient(source.schema()).text) }
  }

  /// The command `kindred client swift`.
  struct Swift: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "swift",
      abstract: "Print record types for the Swift library, with their associations.")

    @OptionGroup var source: ClientSource

    func run() throws { try source.write(SwiftRecords(source.schema()).text) }
  }
}

/// What a client is made of, and where it is written.
struct ClientSource: ParsableArguments {
  @Argument(help: "The database, an SQLite file or a PostgreSQL URL; or the URL of a server.")
  var database: String
  @Option("The model file that the server of the database uses.", value: "file")
  var model: String?
  @Option(help: "A bearer token for the server: the client has what the token may read.")
  var token: String?
  @Option(
    name: .shortAndLong, help: .init("The file to write, instead of standard output.", valueName: "file"))
  var output: String?
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings

  func validate() throws {
    if isServer, model != nil {
      throw ValidationError("--model: a server has its model file itself; leave it out")
    }
    if !isServer, token != nil { throw ValidationError("--token: only a server asks for one; leave it out") }
  }

  /// Returns what is served.
  func schema() throws -> ServerSchema {
    let document = try isServer ? fetched() : answered()
    do {
      return try ServerSchema(json: document)
    } catch {
      throw CommandError("the URL isn't that of a Kindred server of this version")
    }
  }

  /// Writes a client to the file or to standard output.
  func write(_ text: String) throws {
    guard let output else { return try StandardOutput.write(.bytes(Array(text.utf8))) }
    try Data(text.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
  }

  private var isServer: Bool {
    ["http://", "https://"].contains { database.lowercased().hasPrefix($0) }
  }

  /// Returns the description that a server of the database would give to its operator.
  private func answered() throws -> [UInt8] {
    let location = try DatabaseLocation(self.database)
    let database = try location.open(DatabaseLocation.Opening(), postgreSQL)
    defer { database.backend.close() }
    var options = KindredService.Options()
    options.impersonated = .operator
    options.live = nil
    let service = try KindredService(
      database.backend, options: options, logger: Logger.kindred(level: .warning),
      model: ModelDefinition(model).model)
    let response = service.respond(to: HTTPRequest(method: .get, target: "/-/schema"))
    guard response.status.code == 200, case .bytes(let bytes) = response.body else {
      throw RefusedRequest(response)
    }
    return bytes
  }

  /// Returns the description that a server gives to the bearer of the token.
  private func fetched() throws -> [UInt8] {
    let url = database.hasSuffix("/") ? String(database.dropLast()) : database
    return try HTTPClient.get("\(url)/-/schema", token: token, timeout: 10, maximumLength: 64 << 20)
  }
}
