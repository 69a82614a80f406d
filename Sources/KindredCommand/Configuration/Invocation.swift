import ArgumentParser
import Foundation
import KindredAPI
import KindredAssociations

/// A command that reads a configuration file.
protocol Configurable: ParsableCommand {
  /// The option that names the file.
  var config: ConfigurationOptions { get }
}

/// The part of the command line that names the configuration file.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    name: .customLong("config"), help: .init("A configuration file in YAML.", valueName: "file"))
  var config: String?

  /// Returns how clients are authenticated, as configured in the file; nil if it isn't configured.
  ///
  /// - Throws: `ConfigurationError`
  func access() throws -> AccessConfiguration? {
    try config.flatMap { try ConfigurationFile(path: $0).access?.configuration() }
  }
}

/// The arguments and the environment with which the program was started.
struct Invocation {
  /// The arguments without the name of the program.
  let arguments: [String]
  let environment: [String: String]

  /// The invocation of this process.
  static var current: Invocation {
    Invocation(
      arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
  }

  /// Returns the command with its settings: options override environment variables, which override the configuration
  /// file, which overrides the defaults.
  ///
  /// Settings from the file and the environment are inserted before the given arguments, as the last occurrence of an
  /// option wins.
  ///
  /// - Throws: `ConfigurationError`, or an error of ArgumentParser.
  func command() throws -> any ParsableCommand {
    let command: any ParsableCommand
    do {
      command = try Kindred.parseAsRoot(arguments)
    } catch {
      throw valueError ?? error
    }
    // The root command has no options of its own, so the first argument is the subcommand.
    guard let name = arguments.first, !(command is Kindred) else { return command }
    let settings = Setting.all(of: command)
    let variables = try variables(for: settings)
    let own = Array(arguments.dropFirst())
    let configured = try Kindred.parseAsRoot([name] + variables + own)
    guard let path = (configured as? any Configurable)?.config.config else { return configured }
    let file = try ConfigurationFile(path: path)
    return try Kindred.parseAsRoot(
      [name] + file.arguments(for: settings, among: Self.fileSettings) + variables + own)
  }

  /// The error of the first option with an invalid value, worded as for the environment and the file.
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

  /// Warnings about environment variables that look like settings but aren't.
  var warnings: [String] {
    let known = Self.allSettings.map(\.environmentVariable)
    return environment.keys.sorted().filter { $0.hasPrefix(Setting.environmentPrefix) && !known.contains($0) }
      .map { "\($0) is not a setting\(Suggestion.text(NameSuggestion.nearest(to: $0, among: known)))" }
  }

  /// The settings of all commands.
  private static var allSettings: [Setting] {
    Kindred.configuration.subcommands.flatMap { Setting.all(of: $0.init()) }
  }

  /// The settings that a configuration file may contain: all but those that name a configuration file.
  private static var fileSettings: [Setting] {
    let naming = Setting.all(of: ConfigurationOptions()).map(\.name)
    return allSettings.filter { !naming.contains($0.name) }
  }

  /// Returns the command-line arguments that are equivalent to the environment.
  private func variables(for settings: [Setting]) throws -> [String] {
    try settings.flatMap { setting -> [String] in
      let name = setting.environmentVariable
      // Container tools pass unset variables as empty ones.
      guard let text = environment[name], !text.isEmpty else { return [] }
      do {
        return try setting.arguments(for: text)
      } catch {
        throw ConfigurationError(place: name, message: "\(error)")
      }
    }
  }
}
