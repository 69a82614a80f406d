import ArgumentParser
import Foundation
import KindredAPI
import KindredBackend
import KindredHTTP
import KindredSQLite
import KindredSpooling
import Logging
import KindredModel
import KindredSQLiteBackend
import KindredSQLSyntax
import KindredRequests

/// The command `kindred import`.
struct ImportCommand: Configurable {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Add the records of a file to a resource.",
    discussion: """
      FILE is CSV with a header that names the columns, JSON Lines (one object per line), or a JSON array of objects; - \
      is standard input. All records are added in one transaction, or none; an error names its line, or the number of \
      the element. Files that end in .tsv are delimited by tabs.

      With --create-table, the table is created first: the columns are those of the file, with types that fit all \
      values, and `id` is the primary key if every record has an integer of that name.

      Examples:
        kindred import library.db books books.csv
        kindred import library.db authors authors.ndjson
        kindred import library.db tags tags.csv --duplicates merge --on-conflict name
        kindred import library.db prices prices.txt --format csv --delimiter ';'
        kindred import new.db books books.json --create-table
        zcat books.csv.gz | kindred import library.db books - --format csv
      """)

  @Argument(help: "The database, an SQLite file or a PostgreSQL URL.") var database: String
  @Argument(help: "The resource, as in a URL; a path such as authors/1/books works too.") var resource: String
  @Argument(help: "The file to read; - for standard input.") var file: String
  @Option("csv, tsv, jsonl or json, if the file name doesn't end in it.", value: "format")
  var format: ImportFileFormat?
  @Option("What separates the fields of CSV: a character, or tab.", value: "character")
  var delimiter: Delimiter?
  @Flag(help: "Create the table, which must not exist (SQLite only), and the database if it is missing.")
  var createTable = false
  @Option("What to do with existing records: fail, merge or ignore.", value: "what")
  var duplicates = Duplicates.fail
  @Option("The columns that identify existing records; the primary key by default.", value: "columns")
  var onConflict: String?
  @Option(
    "full, if the records must survive a power loss; normal, if only the end of the process.", value: "level")
  var durability = ConnectionConfiguration.Durability.full
  @OptionGroup var config: ConfigurationOptions
  @OptionGroup var requests: RequestSettings
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings

  func validate() throws {
    guard format != nil || ImportFileFormat(fileName: file) != nil else {
      throw ValidationError(
        "the format can't be inferred from the name \(file); add --format csv, or --format jsonl for an object per line"
      )
    }
    guard delimiter == nil || fileFormat.isDelimited else {
      throw ValidationError("--delimiter requires CSV")
    }
    if createTable {
      guard resource.wholeMatch(of: /[^\/\0]+/) != nil else {
        throw ValidationError("--create-table requires the name of a resource, not a path")
      }
      guard duplicates == .fail else {
        throw ValidationError("--create-table and --duplicates exclude one another, as a new table is empty")
      }
    }
    guard onConflict == nil || duplicates != .fail else {
      throw ValidationError("--on-conflict requires --duplicates merge or --duplicates ignore")
    }
  }

  func run() throws {
    let content = try content()
    let location = try DatabaseLocation(self.database)
    guard createTable else {
      do {
        return try run(content, location, path: resource)
      } catch let error as OpenError {
        guard case .missing = error.reason else { throw error }
        throw CommandError("\(error), or add --create-table to create it with the table")
      }
    }
    let table = try NewTable(of: content, fileFormat, named: resource, in: location)
    let path = try table.create()
    do {
      try run(content, location, path: path)
      StandardOutput.report(table.description)
    } catch {
      table.drop()
      throw error
    }
  }

  private var fileFormat: ImportFileFormat { format ?? ImportFileFormat(fileName: file) ?? .csv }

  /// Returns the content as CSV with commas or as JSON Lines.
  private func content() throws -> ContentFile {
    let content = try ImportFile(path: file).content()
    switch fileFormat {
    case .jsonl: return content
    case .json: return try content.rewritten(by: JSONArrayText())
    case .csv, .tsv:
      guard let byte = delimiter?.byte ?? (fileFormat == .tsv ? UInt8(ascii: "\t") : nil) else {
        if let other = content.otherDelimiter {
          throw CommandError("the header has no comma but `\(other)`; add --delimiter '\(other)'")
        }
        return content
      }
      return try content.rewritten(by: DelimitedText(delimiter: byte))
    }
  }

  private func run(_ content: ContentFile, _ location: DatabaseLocation, path: String) throws {
    var opening = DatabaseLocation.Opening()
    opening.isWritable = true
    opening.configuration = requests.connectionConfiguration
    opening.configuration.durability = durability
    let database = try location.open(opening, postgreSQL)
    defer { database.backend.close() }
    var options = try requests.serviceOptions()
    options.isWritable = true
    // A user who can open the file may do anything with it, so no access rules apply.
    options.impersonated = .operator
    let service = try KindredService(
      database.backend, options: options, logger: Logger.kindred(level: .warning),
      model: requests.modelSource())
    let progress = ImportProgress(of: content)
    let response = service.respond(to: request(content, path))
    progress.end()
    guard response.status.code < 300 else {
      throw RefusedRequest(response, counting: fileFormat == .json ? "element" : "line")
    }
    let count = response.headers["X-Total-Count"].flatMap { Int($0) } ?? 0
    StandardOutput.report(progress.summary(of: count))
  }

  private func request(_ content: ContentFile, _ resource: String) -> HTTPRequest {
    var headers: HTTPHeaders = ["Content-Type": fileFormat.mediaType]
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
  case csv, tsv, jsonl, json

  init?(fileName: String) {
    guard fileName.contains("."), let ending = fileName.split(separator: ".").last?.lowercased() else {
      return nil
    }
    self.init(rawValue: ending == "ndjson" ? Self.jsonl.rawValue : ending)
  }

  /// Whether it has fields with something between them.
  var isDelimited: Bool { self == .csv || self == .tsv }

  /// The media type that the content has in the end.
  var mediaType: String { isDelimited ? "text/csv" : "application/jsonl" }
}

/// What separates the fields of a record.
struct Delimiter: ExpressibleByArgument {
  let byte: UInt8

  init?(argument: String) {
    if argument == "tab" || argument == "\\t" {
      byte = UInt8(ascii: "\t")
    } else if argument.utf8.count == 1, let byte = argument.utf8.first, byte == 0x09 || byte >= 0x20,
      byte != UInt8(ascii: "\""), byte != 0x7F
    {
      self.byte = byte
    } else {
      return nil
    }
  }
}

/// The treatment of records that exist already.
enum Duplicates: String, ExpressibleByArgument, CaseIterable {
  case fail, merge, ignore
}
