import ArgumentParser
import CKindredBuild

/// The command `kindred`.
struct Kindred: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kindred",
    abstract: "Serves a database and its associations as nested resources of an HTTP JSON API.",
    discussion: """
      Examples:
        kindred serve                 serves the sample library
        kindred serve chinook.db      serves a database
        kindred model chinook.db      prints the inferred model
        kindred query chinook.db '/albums?include=tracks&limit=1'
        kindred import chinook.db albums albums.csv
        kindred key                   creates an API key
        kindred client typescript chinook.db   prints a typed client
        kindred mcp chinook.db        serves an assistant over standard input and output
        kindred backup chinook.db copy.db
        kindred check chinook.db
      """,
    version: version,
    subcommands: [
      ServeCommand.self, ModelCommand.self, MigrateCommand.self, QueryCommand.self, ImportCommand.self,
      KeyCommand.self, ClientCommand.self, MCPCommand.self, BackupCommand.self, CheckCommand.self,
      CompletionsCommand.self, ManualCommand.self,
    ])

  /// The version, and the commit that it was built from, if that is known: `0.1.0 (0123456789ab)`.
  static let version: String = {
    let commit = String(cString: kindred_commit)
    return commit.isEmpty ? number : "\(number) (\(commit))"
  }()

  private static let number = "0.1.0"
}
