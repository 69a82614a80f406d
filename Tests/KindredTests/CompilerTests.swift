import Foundation
import Testing

@Suite("What the compiler refuses")
struct CompilerTests {
  @Test
  func `S1, S30, S32, S33, S34, S86, S94: associations that don't fit together don't compile`() throws {
    let source = """
      import Kindred

      struct Author: Codable, FetchableRecord, PersistableRecord {
        static let books = hasMany(Book.self)
        static let country = belongsTo(Country.self)
        static let awards = hasMany(Award.self, through: books, using: Book.awards)
        static let oneAward = hasOne(Award.self, through: books, using: Book.award) // refused
        static let otherAward = hasOne(Award.self, through: country, using: Country.awards) // refused
        static let fromBook = hasMany(Award.self, through: Book.author, using: Author.books) // refused
        static let missingStep = hasMany(Award.self, through: books, using: Country.awards) // refused
      }

      struct Book: Codable, FetchableRecord, PersistableRecord {
        static let author = belongsTo(Author.self)
        static let awards = hasMany(Award.self)
        static let award = hasOne(Award.self)
        static let country = hasOne(Country.self, through: author, using: Author.country)
      }

      struct Award: Codable, FetchableRecord, PersistableRecord {}

      struct Country: Codable, FetchableRecord, PersistableRecord {
        static let awards = hasMany(Award.self)
      }

      struct Plain {
        static let books = hasMany(Book.self) // refused
      }

      struct Tabled: TableRecord {
        static let books = hasMany(Book.self)
      }

      func plain(db: Database) throws {
        _ = Tabled.including(all: Tabled.books)
        _ = try Tabled.fetchAll(db) // refused
        _ = Tabled().request(for: Tabled.books) // refused
      }

      func requests(author: Author, book: Book) {
        _ = Author.including(all: Author.books)
        _ = Author.including(all: Author.awards)
        _ = Book.including(all: Book.author) // refused
        _ = Book.including(all: Book.award) // refused
        _ = Book.including(all: Book.country) // refused
        _ = author.request(for: Author.books)
        _ = book.request(for: Author.books) // refused
        _ = Book.including(required: Author.books) // refused
      }

      """
    let refused = source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { $1.hasSuffix("// refused") }.map { $0.offset + 1 }
    #expect(try Compiler().linesWithErrors(source) == Set(refused))
  }
}

/// Type-checks programs that import Kindred.
private struct Compiler {
  /// The directory of the built modules.
  private let modules: URL

  init() throws {
    // It is next to the program that runs the tests, or above it.
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    for argument in CommandLine.arguments where argument.contains(".xctest") {
      folder = URL(filePath: argument).deletingLastPathComponent()
    }
    while folder.path != "/",
      !FileManager.default.fileExists(atPath: folder.appending(path: "Modules/Kindred.swiftmodule").path)
    {
      folder = folder.deletingLastPathComponent()
    }
    modules = folder.appending(path: "Modules")
  }

  /// Returns the numbers of the lines in which the compiler finds an error.
  func linesWithErrors(_ source: String) throws -> Set<Int> {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules.path]
      + ["CKindredSQLite"].flatMap {
        [
          "-Xcc",
          "-fmodule-map-file=\(modules.deletingLastPathComponent().path)/\($0).build/module.modulemap",
        ]
      } + [file.path]
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    compiler.waitUntilExit()
    return Set(
      text.matches(of: /\.swift:(\d+):\d+: error:/).compactMap { Int($0.output.1) })
  }
}
