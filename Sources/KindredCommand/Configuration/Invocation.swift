import ArgumentParser
import Foundation
import KindredAPI
import KindredModel

/// A command that reads a configuration file.
protocol Configurable: ParsableCommand {
  /// The option that names the file.
  var config: ConfigurationOptions { get set }

  /// Whether it reports all mistakes of the configuration, instead of failing with the first.
  var reportsMistakes: Bool { get }
}

extension Configurable {
  var reportsMistakes: Bool { false }
}

/// The part of the command line that names the configuration file.
struct ConfigurationOptions: ParsableArguments {
  @Option("A configuration file in YAML.", value: "file")
  var config: String?

  /// The file, read once, as it may be a pipe; nil before that, or if there is none.
  var file: ConfigurationFile?

  /// The mistakes in the file and the environment, of a command that reports them all.
  var mistakes: [any Error] = []

  private enum CodingKeys: CodingKey {
    case config
  }

  /// Returns how clients are authenticated, as configured in the file; nil if it isn't configured.
  ///
  /// - Throws: `ConfigurationError`
  func access() throws -> AccessConfiguration? {
    try file?.access?.configuration()
  }
}

/// The arguments and the environment with which the program was started.
struct Invocation {
  /// The arguments without the name of the program.
  let arguments: [String]
  let environment: Environment

  /// - Parameter commandLine: the name of the program and the arguments.
  /// - Throws: `CommandError` if there is not even the name.
  init(commandLine: [String], environment: Environment) throws {
    guard !commandLine.isEmpty else {
      throw CommandError("the arguments can't be read: mount /proc, from which they are taken")
    }
    arguments = Array(commandLine.dropFirst())
    self.environment = environment
  }

  /// Returns the command with its settings: options override environment variables, which override the configuration
  /// file, which overrides the defaults.
  ///
  /// Settings from the file and the environment are inserted before the given arguments, as the last occurrence of an
  /// option wins.
  ///
  /// - Throws: `ConfigurationError`, or an error of ArgumentParser.
  func command() throws -> any ParsableCommand {
    try checkArguments()
    let command: any ParsableCommand
    do {
      command = try Self.command(arguments)
    } catch {
      throw valueError ?? error
    }
    // The root command has no options, so the first argument is the subcommand.
    guard let name = arguments.first, !(command is Kindred) else { return command }
    // To read the arguments again takes as long as everything else that the start of a server does.
    let hasFile = (command as? any Configurable)?.config.config != nil
    guard hasFile || environment.hasSettings else { return command }
    let settings = Setting.all(of: command)
    let mistakes = Mistakes()
    let variables = environment.arguments(for: settings, mistakes)
    let own = Array(arguments.dropFirst())
    let configured = try Self.command([name] + variables + own)
    guard var reader = configured as? any Configurable else {
      try mistakes.check()
      return configured
    }
    if let path = reader.config.config,
      let file = mistakes.attempt({ try ConfigurationFile(path: path, mistakes) })
    {
      let entries = file.arguments(for: settings, among: Self.fileSettings, mistakes)
      if let complete = try Self.command([name] + entries + variables + own) as? any Configurable {
        reader = complete
      }
      reader.config.file = file
    }
    if reader.reportsMistakes {
      reader.config.mistakes = mistakes.all
    } else {
      try mistakes.check()
    }
    return reader
  }

  /// Returns the command that arguments name, with its options.
  ///
  /// The arguments of a subcommand are read without the root command, which takes a tenth of the start of a server. Only
  /// if that fails, the root command reads them, because it knows the options of all commands and the names for help.
  private static func command(_ arguments: [String]) throws -> any ParsableCommand {
    if let name = arguments.first,
      let type = Kindred.configuration.subcommands.first(where: { $0.configuration.commandName == name }),
      let command = try? type.parse(Array(arguments.dropFirst()))
    {
      return command
    }
    return try Kindred.parseAsRoot(arguments)
  }

  /// Checks what ArgumentParser would misunderstand or wouldn't explain.
  ///
  /// - Throws: `ValidationError`
  private func checkArguments() throws {
    // For an option with an empty value, it would take the next argument; and an empty path is one of a variable that
    // isn't set.
    for (index, argument) in arguments.prefix(while: { $0 != "--" }).enumerated() {
      if argument.hasPrefix("--"), argument.count > 3, argument.firstIndex(of: "=") == argument.indices.last {
        throw emptyValue(of: argument.dropLast())
      }
      guard argument.isEmpty else { continue }
      let previous = index > 0 ? arguments[index - 1] : ""
      throw previous.hasPrefix("--")
        ? emptyValue(of: previous[...])
        : ValidationError("argument \(index + 1) is empty; give it a value, or leave it out")
    }
    if let word = arguments.first, !word.hasPrefix("-"), !Self.commands.contains(word) {
      throw ValidationError("there is no command `\(word)`" + Self.suggestion(for: word))
    }
  }

  private func emptyValue(of option: Substring) -> ValidationError {
    ValidationError("\(option): the value is empty; give one, or leave the option out")
  }

  /// The names of the commands.
  static let commands =
    Kindred.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]

  /// Returns the end of a message about a word that is not a command.
  private static func suggestion(for word: String) -> String {
    let isDatabase = word.contains { "./".contains($0) } || FileManager.default.fileExists(atPath: word)
    if isDatabase {
      // In quotes where a shell would divide it.
      let path = word.wholeMatch(of: /[A-Za-z0-9_.\/:@%+~-]+/) == nil ? "'\(word)'" : word
      return "; did you mean `kindred serve \(path)`?"
    }
    let nearest = NameSuggestion.nearest(to: word, among: commands)
    if let name = nearest.first { return "; did you mean `kindred \(name)`?" }
    return "; the commands are \(commands.joined(separator: ", "))"
  }

  /// The error of the first option with an invalid value, worded as for the environment and the file.
  private var valueError: ValidationError? {
    for setting in Self.settings where setting.takesValue {
      for (index, argument) in arguments.enumerated() {
        let text: String
        if argument == setting.flag, index + 1 < arguments.count {
          text = arguments[index + 1]
        } else if argument.hasPrefix(setting.flag + "=") {
          text = String(argument.dropFirst(setting.flag.count + 1))
        } else {
          continue
        }
        do {
          _ = try setting.arguments(for: text)
        } catch {
          return ValidationError("\(setting.flag): \(error)")
        }
      }
    }
    return nil
  }

  /// The settings of all commands.
  static var settings: [Setting] {
    Kindred.configuration.subcommands.flatMap { Setting.all(of: $0.init()) }
  }

  /// The settings that a configuration file may contain: all except the ones that name a configuration file.
  static var fileSettings: [Setting] {
    let naming = Setting.all(of: ConfigurationOptions()).map(\.name)
    return settings.filter { !naming.contains($0.name) }
  }
}
