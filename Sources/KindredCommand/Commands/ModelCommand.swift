import ArgumentParser
import KindredAPI
import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite

/// The command `kindred model`.
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model",
    abstract: "Print the model that is inferred from a database, as a model file.",
    discussion: """
      The file says what `serve` does without it. Take what is to be different as the beginning of a model file of \
      your own; what a file doesn't say is inferred.

      Examples:
        kindred model chinook.db
        kindred model chinook.db > model.yaml
        kindred serve chinook.db --model model.yaml
      """)

  @Argument(help: "The database file.") var database: String

  func run() throws {
    let connection = try Connection(path: database, access: .readOnly)
    let model = Model(inferredFrom: try SchemaReader(connection).schema())
    try StandardOutput.write(.bytes(Array(ModelFileRenderer().text(of: model).utf8)))
  }
}
