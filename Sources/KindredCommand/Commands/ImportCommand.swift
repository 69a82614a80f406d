import ArgumentParser
import Foundation
import KindredAPI
import KindredBackend
import KindredHTTP
import KindredSQLite
import Logging

/// The command `kindred import`.
struct ImportCommand: Configurable {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the records of a file to a resource.",
    discussion: """
      FILE is CSV with a header that names the columns, or JSON Lines: one object per line; - is standard input. All \
      records are added in one transaction, or none; an error names its line.

      Examples:
        kindred import library.db books books.csv
        kindred import library.db authors authors.ndjson
        kindred import library.db tags tags.csv --duplicates merge --on-conflict name
        zcat books.csv.gz | kindred import library.db books - --format csv
      """)

  @Argument(help: "The database, an SQLite file or a PostgreSQL URL.") var database: String
  @Argument(help: "The resource, as in a URL; a path such as authors/1/books works too.") var resource: String
  @Argument(help: "The file to read; - for standard input.") var file: String
  @Option(help: .init("csv or jsonl, if the file name doesn't end in it.", valueName: "format"))
  var format: ImportFileFormat?
  @Option(help: .init("What to do with existing records: fail, merge or ignore.", valueName: "what"))
  var duplicates = Duplicates.fail
  @Option(
    help: .init(
      "The columns that identify existing records; the primary key by default.", valueName: "columns"))
  var onConflict: String?
  @Option(
    help: .init(
      "full, if the records must survive a power loss; normal, if only the end of the process.",
      valueName: "level"))
  var durability = ConnectionConfiguration.Durability.full
  @OptionGroup var config: ConfigurationOptions
  @OptionGroup(title: "Requests") var requests: RequestSettings
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings

  func validate() throws {
    guard format != nil || ImportFileFormat(fileName: file) != nil else {
      throw ValidationError(
        "the format can't be inferred from the name \(file); add --format csv, or --format jsonl for an object per line"
      )
    }
    guard onConflict == nil || duplicates != .fail else {
      throw ValidationError("--on-conflict requires --duplicates merge or --duplicates ignore")
    }
  }

  func run() throws {
    let content = try ImportFile(path: file).content()
    var opening = DatabaseLocation.Opening()
    opening.isWritable = true
    opening.configuration = requests.connectionConfiguration
    opening.configuration.durability = durability
    let database = try DatabaseLocation(self.database).open(opening, postgreSQL)
    defer { database.backend.close() }
    var options = requests.serviceOptions
    options.isWritable = true
    // A user who can open the file may do anything with it, so no access rules apply.
    options.impersonated = .operator
    let service = try KindredService(
      database.backend, options: options, logger: Logger.kindred(level: .warning),
      model: requests.modelSource())
    let progress = ImportProgress(of: content)
    let response = service.respond(to: request(content))
    progress.end()
    guard response.status.code < 300 else { throw RefusedRequest(response) }
    let count = response.headers["X-Total-Count"].flatMap { Int($0) } ?? 0
    StandardOutput.report(progress.summary(of: count))
  }

  private func request(_ content: HTTPContentFile) -> HTTPRequest {
    let type = (format ?? ImportFileFormat(fileName: file) ?? .csv).mediaType
    var headers: HTTPHeaders = ["Content-Type": type]
    if duplicates != .fail { headers.append("Prefer", "resolution=\(duplicates.rawValue)-duplicates") }
    let query = onConflict.map {
      "?onConflict=" + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
    let path = resource.hasPrefix("/") ? resource : "/\(resource)"
    return HTTPRequest(method: .post, target: path + (query ?? ""), headers: headers, longBody: content)
  }
}

/// The format of a file to be imported.
enum ImportFileFormat: String, ExpressibleByArgument, CaseIterable {
  case csv, jsonl

  init?(fileName: String) {
    switch fileName.split(separator: ".").last?.lowercased() {
    case "csv": self = .csv
    case "jsonl", "ndjson": self = .jsonl
    default: return nil
    }
  }

  var mediaType: String { self == .csv ? "text/csv" : "application/jsonl" }
}

/// The treatment of records that exist already.
enum Duplicates: String, ExpressibleByArgument, CaseIterable {
  case fail, merge, ignore
}
