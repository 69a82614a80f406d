import ArgumentParser
import Foundation
import KindredAPI
import KindredBackend
import KindredHTTP
import Logging
import KindredTools

/// The command `kindred query`.
struct QueryCommand: Configurable {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Answer requests without starting a server.",
    discussion: """
      The answer is written to standard output, and the URL of the next page, as `next: URL`, to standard error. With - \
      for the URL, each line of standard input is one, and all are answered in their order.

      With --method, or --body, the request may write. A body that begins with @ is read from that file, @- from \
      standard input. The exit code is 1 after an error; with --check-status, 4 after a status 4xx, 5 after 5xx.

      Examples:
        kindred query chinook.db /albums/1
        kindred query chinook.db '/albums?include=tracks&limit=1'
        kindred query chinook.db '/albums?include=tracks&limit=1' --format pretty
        kindred query chinook.db '/albums?include=tracks&limit=1' --explain
        kindred query chinook.db /albums --format csv > albums.csv
        kindred query library.db /authors --body '{"name": "Colette"}'
        kindred query library.db /authors/1 --method PATCH --body '{"name": null}'
        kindred query library.db - < urls.txt
        kindred query postgres://reader@db.example/library /albums/1
        kindred query chinook.db /albums --model model.yaml --as '{"sub": 1, "roles": ["reader"]}'
      """)

  /// The format of the answer.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case json, ndjson, csv
    /// JSON with each value on a separate line.
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
    help: .init(
      "The path and the parameters, as in a request to a server; - reads one from each line of standard input.",
      valueName: "url"),
    completion: .custom { words, _, typed in QueryCommand.completions(of: words, typed: typed) })
  var url: String
  @Option(help: "The format of the answer, unless the URL sets it: json, ndjson, csv, or pretty.")
  var format = Format.json
  @Flag(help: "Show the SQL and the query plans instead of the answer.") var explain = false
  @Option(help: "The method: GET by default, or POST if there is a body.") var method: RequestMethod?
  @Option(
    "The content: JSON, unless --header names another Content-Type; @FILE and @- read it.", value: "text")
  var body: String?
  @Option("A field of the request, such as 'If-Match: *'; repeatable.", value: "field")
  var header: [RequestField] = []
  @Flag(help: "Exit with 4 after a status 4xx, and with 5 after 5xx, instead of 1.") var checkStatus = false
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
    let logger = Logger.kindred(level: .warning)
    var opening = DatabaseLocation.Opening()
    opening.configuration = requests.connectionConfiguration
    opening.isWritable = method.map { !$0.method.isSafe } ?? (body != nil)
    let location = try DatabaseLocation(self.database)
    let database = try location.open(opening, postgreSQL)
    defer { database.backend.close() }
    var options = try requests.serviceOptions()
    options.isWritable = opening.isWritable
    options.access = try config.access()
    try roles.add(to: &options.access, for: location)
    options.impersonated = try Impersonation(claims: claims)
    let service = try KindredService(
      database.backend, options: options, logger: logger, model: requests.modelSource())
    let body = try self.body.map(QueryBody.bytes)
    var failure: RefusedRequest?
    for url in url == "-" ? AnySequence(QueryBody.lines) : AnySequence([url]) {
      let response = service.respond(to: request(for: url, body))
      guard response.status.code < 400 else {
        // The others are answered nevertheless, and the first failure is reported by the exit code.
        let refusal = RefusedRequest(response)
        if failure != nil || self.url == "-" { StandardError.write("kindred: \(url): \(refusal)\n") }
        failure = failure ?? refusal
        continue
      }
      try write(response)
    }
    guard let failure else { return }
    if checkStatus {
      if self.url != "-" { StandardError.write("kindred: \(failure)\n") }
      throw FailedStatus(exitCode: Int32(failure.status.code / 100))
    }
    if self.url == "-" { throw ReportedMistakes() }
    throw failure
  }

  private func request(for url: String, _ body: [UInt8]?) -> HTTPRequest {
    let method = method?.method ?? (body == nil ? .get : .post)
    var headers: HTTPHeaders = ["Accept": format.mediaType]
    for field in header { headers.set(field.name, field.value) }
    if body != nil, headers["Content-Type"] == nil {
      headers.set(
        "Content-Type", method == .patch ? "application/merge-patch+json" : "application/json")
    }
    return HTTPRequest(method: method, target: target(of: url), headers: headers, body: body ?? [])
  }

  private func write(_ response: HTTPResponse) throws {
    if explain {
      try StandardOutput.writeLine(StatementListing(response).description)
    } else {
      let isIndented = format == .pretty && response.headers["Content-Type"] == Format.pretty.mediaType
      try StandardOutput.write(response.body, isIndented: isIndented)
    }
    let links = response.headers.values(for: "Link").joined(separator: ", ")
    if let next = links.firstMatch(of: /<([^>]*)>; *rel="?next"?/)?.1 {
      StandardError.write("next: \(next)\n")
    }
  }

  /// The URL without scheme, host and fragment, so that a URL from a browser works too.
  private func target(of url: String) -> String {
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

/// Completes the URL in a shell, with the names of the database that precedes it.
extension QueryCommand {
  /// Returns the possible completions of a word; empty if the database can't be read.
  ///
  /// - Parameters:
  ///   - words: the words of the command line, beginning with the program's name.
  ///   - typed: the part of the completed word before the cursor.
  static func completions(of words: [String], typed: String) -> [String] {
    let quote = String(typed.prefix(1).filter { $0 == "'" || $0 == "\"" })
    guard let invocation = Self.invocation(in: words),
      let read = try? invocation.requests.modelSource(),
      let model = try? DatabaseLocation(invocation.database).withSchema(invocation.postgreSQL, read)
    else { return [] }
    let completion = URLCompletion(model: model, limits: invocation.requests.limits)
    return completion.completions(of: String(typed.dropFirst(quote.count))).map { quote + $0 }
  }

  /// Returns the command as typed so far, in which the URL may still be missing.
  private static func invocation(in words: [String]) -> QueryCommand? {
    let arguments = Array(words.drop { $0 != "query" }.dropFirst())
    return [arguments, arguments + ["/"]].lazy.compactMap { try? QueryCommand.parse($0) }.first
  }
}
