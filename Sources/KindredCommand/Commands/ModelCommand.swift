import KindredPlanning
import ArgumentParser
import KindredModel
import KindredHTTP
import KindredModelFile
import Logging

/// The command `kindred model`.
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model",
    abstract: "Print the model that is inferred from a database, as a model file.",
    discussion: """
      The printed file describes what `serve` does without a model file. Keep only what you want to change: everything \
      that a model file doesn't mention is inferred.

      Where a schema declares no foreign keys, or not all of them, `--guess` proposes the rest by the names of the \
      columns and their values, each with its evidence.

      Examples:
        kindred model chinook.db
        kindred model chinook.db > model.yaml
        kindred model chinook.db --model model.yaml
        kindred model shop.db --guess > model.yaml
        kindred model postgres://reader@db.example/library
        kindred serve chinook.db --model model.yaml
      """)

  @Argument(help: "The database, an SQLite file or a PostgreSQL URL.") var database: String
  @Option(
    "A model file to check; a resource that is closed because it has no access rules is reported.",
    value: "file")
  var model: String?
  @Flag(help: "Propose the foreign keys that the schema doesn't declare, as a model file.") var guess = false
  @OptionGroup(title: "PostgreSQL") var postgreSQL: PostgreSQLSettings

  func run() throws {
    let file = try self.model.map { try ModelFileReader(path: $0).read() }
    let (model, checked, guesses) = try DatabaseLocation(database).withSchema(postgreSQL) { source in
      let model = Model(inferredFrom: try source.schema())
      let checked = try file?.model(of: source)
      return (model, checked, guess ? try ForeignKeyGuesses(checked ?? model, of: source) : nil)
    }
    if let checked {
      let closed = checked.closed.map { $0.value.line(of: $0.key) }
      for warning in checked.accessWarnings + closed { Logger.kindred(level: .warning).warning("\(warning)") }
    }
    let text = guesses.map(GuessRenderer().text) ?? ModelFileRenderer().text(of: model)
    try StandardOutput.write(.bytes(Array(text.utf8)))
  }
}
