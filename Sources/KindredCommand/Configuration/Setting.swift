import ArgumentParser

/// Something that can be set, under the three names that follow from one: that of the property which holds it.
///
/// `maxBodySize` is the flag `--max-body-size`, the environment variable `KINDRED_MAX_BODY_SIZE` and the key
/// `maxBodySize` of the configuration file. There, names that begin alike stand in a section: `tlsKey` is the key
/// `key` of the section `tls`.
struct Setting {
  /// The name of the property.
  let name: String
  private let property: any SettingProperty

  /// The sections of the configuration file.
  private static let sections = ["cors", "log", "tls"]

  /// How the names of the environment variables begin.
  static let environmentPrefix = "KINDRED_"

  /// The settings that are the properties of such a value; of a command, those in its option groups alone.
  ///
  /// - Parameter options: one that has been declared, but not necessarily parsed.
  static func all(of options: some ParsableArguments) -> [Setting] {
    Mirror(reflecting: options).children.flatMap { child -> [Setting] in
      if let property = child.value as? any SettingProperty, let label = child.label,
        !(options is any ParsableCommand)
      {
        // Property wrappers are stored under their name with an underscore before it.
        return [Setting(name: String(label.drop { $0 == "_" }), property: property)]
      }
      return (child.value as? any SettingGroup)?.settings ?? []
    }
  }

  /// As `--max-body-size`.
  var flag: String { "--" + words.joined(separator: "-") }

  /// As `KINDRED_MAX_BODY_SIZE`.
  var environmentVariable: String {
    Self.environmentPrefix + words.joined(separator: "_").uppercased()
  }

  /// The place in the configuration file: `maxBodySize`, or `tls.key`.
  var key: String {
    guard let section = Self.sections.first(where: { name.hasPrefix($0) }) else { return name }
    let rest = name.dropFirst(section.count)
    return section + "." + rest.prefix(1).lowercased() + rest.dropFirst()
  }

  /// Whether `key` is a section of the configuration file.
  static func isSection(_ key: String) -> Bool { sections.contains(key) }

  /// Whether several values may be given, with commas between them.
  var isList: Bool { property.isList }

  /// Whether the flag is followed by a value.
  var takesValue: Bool { property.takesValue }

  /// The arguments of the command line that say the same.
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

/// A property that can be set: one of the parser's wrappers.
private protocol SettingProperty {
  var isList: Bool { get }
  /// Whether its flag is followed by a value.
  var takesValue: Bool { get }
  func arguments(for text: String, flag: String) throws -> [String]
}

extension Option: SettingProperty where Value: SettingValue {
  fileprivate var isList: Bool { Value.isList }
  fileprivate var takesValue: Bool { true }

  fileprivate func arguments(for text: String, flag: String) throws -> [String] {
    guard Value(setting: text) != nil else {
      throw SettingValueError(text: text, expectation: Value.expectation)
    }
    // In one argument, so that the text may begin with a dash.
    return ["\(flag)=\(text)"]
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

/// Settings within settings.
private protocol SettingGroup {
  var settings: [Setting] { get }
}

extension OptionGroup: SettingGroup {
  fileprivate var settings: [Setting] { Setting.all(of: Value()) }
}
