import ArgumentParser

/// The command `kindred completions`.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the completions for a shell.",
    discussion: """
      Examples:
        kindred completions bash > /usr/share/bash-completion/completions/kindred
        kindred completions zsh > /usr/local/share/zsh/site-functions/_kindred
        kindred completions fish > ~/.config/fish/completions/kindred.fish
      """)

  @Argument(help: "bash, zsh or fish.") var shell: Shell

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  func run() throws {
    let shell: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    try StandardOutput.writeLine(Kindred.completionScript(for: shell))
  }
}
