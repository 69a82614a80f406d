import ArgumentParser
import KindredCryptography
import KindredSQLite
import Logging

/// A value that can be written as text in an option, an environment variable or the configuration file.
protocol SettingValue: Sendable {
  /// Creates the value from its text; nil if the text is invalid.
  init?(setting text: String)

  /// A description of valid texts that completes "it must be …".
  static var expectation: String { get }

  /// Whether the text is a list of values separated by commas.
  static var isList: Bool { get }

  /// Whether the text must not be shown, not even in an error.
  static var isSecret: Bool { get }
}

extension SettingValue {
  static var isList: Bool { false }
  static var isSecret: Bool { false }
}

/// A text isn't a valid value of a setting.
struct SettingValueError: Error, CustomStringConvertible {
  /// The text; nil if it must not be shown.
  let text: String?
  /// A description of valid texts.
  let expectation: String

  var description: String {
    "\(text.map { "'\($0)'" } ?? "the value") is not valid: it must be \(expectation)"
  }
}

extension SettingValue where Self: ExpressibleByArgument {
  init?(argument: String) { self.init(setting: argument) }
}

extension SettingValue where Self: ExpressibleByArgument & CustomStringConvertible {
  /// Without the runtime's search for what describes the value, which the help, made at each start, would wait for.
  var defaultValueDescription: String { description }
}

extension String: SettingValue {
  init?(setting text: String) {
    // The system treats NUL as the end of a text.
    guard !text.isEmpty, !text.contains("\0") else { return nil }
    self = text
  }

  static var expectation: String { "a non-empty string without NUL characters" }
}

extension Optional: SettingValue where Wrapped: SettingValue {
  init?(setting text: String) {
    guard let value = Wrapped(setting: text) else { return nil }
    self = value
  }

  static var expectation: String { Wrapped.expectation }
  static var isList: Bool { Wrapped.isList }
  static var isSecret: Bool { Wrapped.isSecret }
}

extension ConnectionConfiguration.Durability: SettingValue, ExpressibleByArgument {
  init?(setting text: String) { self.init(rawValue: text) }

  /// The level of that name.
  public init?(argument: String) { self.init(rawValue: argument) }

  static var expectation: String { "full or normal" }
}

extension Logger.Level: SettingValue, @retroactive ExpressibleByArgument {
  init?(setting text: String) { self.init(rawValue: text) }

  /// The level of that name.
  public init?(argument: String) { self.init(rawValue: argument) }

  /// Its name: the defaults for texts and for raw values would both apply.
  public var defaultValueDescription: String { rawValue }

  static var expectation: String {
    "one of " + allCases.map(\.rawValue).joined(separator: ", ")
  }
}

/// A TCP port; 0 stands for any free port.
struct Port: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  let number: Int

  init?(setting text: String) {
    guard let number = UInt16(text) else { return nil }
    self.number = Int(number)
  }

  init(_ number: UInt16) { self.number = Int(number) }

  static var expectation: String { "a number from 0 to 65535" }
  var description: String { "\(number)" }
}

/// The permissions of a file: `660`, in octal.
struct FileMode: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  let bits: UInt16

  init?(setting text: String) {
    guard (3...4).contains(text.utf8.count), let bits = UInt16(text, radix: 8), bits <= 0o777 else {
      return nil
    }
    self.bits = bits
  }

  init(_ bits: UInt16) { self.bits = bits }

  static var expectation: String { "permissions in octal, such as 660" }
  var description: String { String(bits, radix: 8) }
}

/// A limit of a number of things, at least 1.
struct Limit: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  let count: Int

  init?(setting text: String) {
    guard let count = Int(text), (1...1 << 30).contains(count) else { return nil }
    self.count = count
  }

  init(_ count: Int) { self.count = count }

  static var expectation: String { "a whole number from 1 to \(1 << 30)" }
  var description: String { "\(count)" }
}

/// A limit of a number of things; 0 stands for no limit.
struct OptionalLimit: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  /// The limit; nil for none.
  let count: Int?

  init?(setting text: String) {
    guard let count = Int(text), (0...1 << 30).contains(count) else { return nil }
    self.init(count)
  }

  init(_ count: Int) { self.count = count == 0 ? nil : count }

  static var expectation: String { "a whole number up to \(1 << 30), where 0 means no limit" }
  var description: String { "\(count ?? 0)" }
}

/// The number of records of a page; 0 stands for all.
struct PageSize: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  /// The number; nil for all.
  let records: Int64?

  init?(setting text: String) {
    guard let records = Int64(text), records >= 0 else { return nil }
    self.init(records)
  }

  init(_ records: Int64) { self.records = records == 0 ? nil : records }

  static var expectation: String { "a whole number, where 0 means no limit" }
  var description: String { "\(records ?? 0)" }
}

/// The key that encrypts cursors: 64 hexadecimal digits.
struct CursorKey: SettingValue, ExpressibleByArgument {
  let bytes: [UInt8]

  init?(setting text: String) {
    guard text.utf8.count == 64, let bytes = [UInt8](hexadecimal: text.lowercased()) else { return nil }
    self.bytes = bytes
  }

  static var expectation: String { "64 hexadecimal digits" }
  static var isSecret: Bool { true }
}
