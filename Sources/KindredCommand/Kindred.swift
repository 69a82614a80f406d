import ArgumentParser

@main
struct Kindred: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kindred",
    abstract: "Serves a SQLite database and its associations as nested resources of an HTTP JSON API.",
    subcommands: [Serve.self, Query.self])
}
