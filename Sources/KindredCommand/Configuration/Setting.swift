import ArgumentParser

/// A setting, whose names in three places are derived from that of the property which holds it.
///
/// `maxBodySize` is the option `--max-body-size`, the environment variable `KINDRED_MAX_BODY_SIZE` and the key
/// `maxBodySize` of the configuration file. There, settings with a common prefix form a section: `tlsKey` is `key` in
/// the section `tls`.
struct Setting {
  /// The name of the property.
  let name: String
  private let property: any SettingProperty

  /// The sections of the configuration file.
  private static let sections = ["cors", "log", "tls"]

  /// The prefix of the environment variables.
  static let environmentPrefix = "KINDRED_"

  /// Returns the settings among the properties of a value; for a command, only those in its option groups.
  ///
  /// - Parameter options: a value that need not have been parsed.
  static func all(of options: some ParsableArguments) -> [Setting] {
    Mirror(reflecting: options).children.flatMap { child -> [Setting] in
      if let property = child.value as? any SettingProperty, let label = child.label,
        !(options is any ParsableCommand)
      {
        // The storage of a property wrapper has the property's name with an underscore before it.
        return [Setting(name: String(label.drop { $0 == "_" }), property: property)]
      }
      return (child.value as? any SettingGroup)?.settings ?? []
    }
  }

  /// The option: `--max-body-size`.
  var flag: String { "--" + words.joined(separator: "-") }

  /// The environment variable: `KINDRED_MAX_BODY_SIZE`.
  var environmentVariable: String {
    Self.environmentPrefix + words.joined(separator: "_").uppercased()
  }

  /// The key in the configuration file: `maxBodySize`, or `tls.key`.
  var key: String {
    guard let section = Self.sections.first(where: { name.hasPrefix($0) }) else { return name }
    let rest = name.dropFirst(section.count)
    return section + "." + rest.prefix(1).lowercased() + rest.dropFirst()
  }

  /// Whether `key` is a section of the configuration file.
  static func isSection(_ key: String) -> Bool { sections.contains(key) }

  /// Whether several values may be given, separated by commas.
  var isList: Bool { property.isList }

  /// Whether the option takes a value.
  var takesValue: Bool { property.takesValue }

  /// Returns the equivalent command-line arguments.
  ///
  /// - Throws: `SettingValueError`
  func arguments(for text: String) throws -> [String] {
    try property.arguments(for: text, flag: flag)
  }

  private var words: [String] {
    name.reduce(into: [""]) { words, character in
      if character.isUppercase { words.append("") }
      words[words.count - 1] += character.lowercased()
    }
  }
}

/// A property wrapper of ArgumentParser that declares a setting.
private protocol SettingProperty {
  var isList: Bool { get }
  /// Whether the option takes a value.
  var takesValue: Bool { get }
  func arguments(for text: String, flag: String) throws -> [String]
}

extension Option: SettingProperty where Value: SettingValue {
  fileprivate var isList: Bool { Value.isList }
  fileprivate var takesValue: Bool { true }

  fileprivate func arguments(for text: String, flag: String) throws -> [String] {
    guard Value(setting: text) != nil else {
      throw SettingValueError(text: Value.isSecret ? nil : text, expectation: Value.expectation)
    }
    // One argument, so that the value may begin with a dash.
    return ["\(flag)=\(text)"]
  }
}

extension Option {
  /// Creates an option that the help describes, with a name for its value.
  init(wrappedValue: Value, _ help: String, value name: String) where Value: ExpressibleByArgument {
    self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: name))
  }

  /// Creates an option without a default.
  init<Given: ExpressibleByArgument>(_ help: String, value name: String) where Value == Given? {
    self.init(help: ArgumentHelp(help, valueName: name))
  }

  /// Creates an option that may be given several times.
  init<Given: ExpressibleByArgument>(
    wrappedValue: [Given], _ help: String, value name: String
  ) where Value == [Given] {
    self.init(wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: name))
  }
}

extension Flag: SettingProperty where Value == Bool {
  fileprivate var isList: Bool { false }
  fileprivate var takesValue: Bool { false }

  fileprivate func arguments(for text: String, flag: String) throws -> [String] {
    switch text {
    case "true": [flag]
    case "false": ["--no-" + flag.dropFirst(2)]
    default: throw SettingValueError(text: text, expectation: "true or false")
    }
  }
}

/// An option group, whose properties are settings.
private protocol SettingGroup {
  var settings: [Setting] { get }
}

extension OptionGroup: SettingGroup {
  fileprivate var settings: [Setting] { Setting.all(of: Value()) }
}
