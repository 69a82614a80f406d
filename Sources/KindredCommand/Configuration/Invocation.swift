import ArgumentParser
import Foundation
import KindredAPI
import KindredAssociations

/// A command that reads a configuration file.
protocol Configurable: ParsableCommand {
  /// The path of the file.
  var config: ConfigurationOptions { get }
}

/// The part of the command line that names the configuration file.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    name: .customLong("config"), help: .init("A configuration file in YAML.", valueName: "file"))
  var config: String?

  /// Who clients are, as the configuration file says; nil where it doesn't.
  ///
  /// - Throws: `ConfigurationError`
  func access() throws -> AccessConfiguration? {
    try config.flatMap { try ConfigurationFile(path: $0).access?.configuration() }
  }
}

/// How the program was started: its arguments and its environment.
struct Invocation {
  /// Without the name of the program.
  let arguments: [String]
  let environment: [String: String]

  /// How this process was started.
  static var current: Invocation {
    Invocation(
      arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
  }

  /// The command, with its settings: flags override environment variables, which override the configuration file,
  /// which overrides the defaults.
  ///
  /// What has been set elsewhere is put before the arguments that were given, because of an option that is there
  /// twice the last one wins.
  ///
  /// - Throws: `ConfigurationError`, or an error that `Kindred.exitCode(for:)` and `Kindred.message(for:)` know.
  func command() throws -> any ParsableCommand {
    let command: any ParsableCommand
    do {
      command = try Kindred.parseAsRoot(arguments)
    } catch {
      throw valueError ?? error
    }
    // The root command takes nothing but a subcommand, so the first argument names it.
    guard let name = arguments.first, !(command is Kindred) else { return command }
    let settings = Setting.all(of: command)
    let variables = try variables(for: settings)
    let own = Array(arguments.dropFirst())
    guard let configurable = try Kindred.parseAsRoot([name] + variables + own) as? any Configurable
    else { return try Kindred.parseAsRoot([name] + variables + own) }
    guard let path = configurable.config.config else { return configurable }
    let file = try ConfigurationFile(path: path)
    return try Kindred.parseAsRoot(
      [name] + file.arguments(for: settings, among: Self.fileSettings) + variables + own)
  }

  /// The first option whose value is not one that it takes, told as it is for the other places.
  private var valueError: ValidationError? {
    for setting in Self.allSettings where setting.takesValue {
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

  /// What is wrong with variables that look like settings and are none.
  var warnings: [String] {
    let known = Self.allSettings.map(\.environmentVariable)
    return environment.keys.sorted().filter { $0.hasPrefix(Setting.environmentPrefix) && !known.contains($0) }
      .map { "\($0) is not a setting\(Suggestion.text(NameSuggestion.nearest(to: $0, among: known)))" }
  }

  /// The settings that any command takes.
  private static var allSettings: [Setting] {
    Kindred.configuration.subcommands.flatMap { Setting.all(of: $0.init()) }
  }

  /// The settings that a configuration file may hold: one doesn't name another.
  private static var fileSettings: [Setting] {
    let naming = Setting.all(of: ConfigurationOptions()).map(\.name)
    return allSettings.filter { !naming.contains($0.name) }
  }

  /// The arguments of the command line that say the same as the environment.
  private func variables(for settings: [Setting]) throws -> [String] {
    try settings.flatMap { setting -> [String] in
      let name = setting.environmentVariable
      // Container tools pass variables that aren't set as empty ones.
      guard let text = environment[name], !text.isEmpty else { return [] }
      do {
        return try setting.arguments(for: text)
      } catch {
        throw ConfigurationError(place: name, message: "\(error)")
      }
    }
  }
}
