import KindredModel
import KindredYAML

/// A configuration file: a YAML mapping of settings, some of them in sections.
///
/// It is read as nodes, which know their lines. Unknown keys are errors: a misspelled setting would seem to be in
/// effect but be ignored.
struct ConfigurationFile {
  private struct Entry {
    var key: String
    var text: String
    var isList = false
    var line: Int
  }

  let path: String
  private var entries: [Entry] = []
  private var keys: Set<String> = []
  /// The section `access`; nil if there is none.
  private(set) var access: AccessSection?

  /// - Parameter mistakes: receives a `ConfigurationError` for each entry that isn't one.
  /// - Throws: `ConfigurationError` if the file can't be read.
  init(path: String, _ mistakes: Mistakes) throws {
    self.path = path
    let text: String
    do throws(TextFileError) {
      text = try TextFile.text(of: path)
    } catch {
      throw ConfigurationError(place: path, message: "\(error)")
    }
    guard let root = try parse(text), !root.isNull else { return }
    guard let settings = root.entries else {
      throw error(line: root.line, "it must be a mapping such as `port: 8080`")
    }
    read(settings, section: nil, mistakes)
  }

  /// Returns the command-line arguments that are equivalent to the valid entries of this file.
  ///
  /// - Parameters:
  ///   - settings: the settings of the command; the file's other settings are ignored.
  ///   - all: the settings of all commands.
  ///   - mistakes: receives a `ConfigurationError` for each of the others.
  func arguments(for settings: [Setting], among all: [Setting], _ mistakes: Mistakes) -> [String] {
    entries.flatMap { entry in
      mistakes.attempt { try arguments(for: entry, settings, among: all) } ?? []
    }
  }

  private func arguments(
    for entry: Entry, _ settings: [Setting], among all: [Setting]
  ) throws -> [String] {
    guard all.contains(where: { $0.key == entry.key }) else { throw unknown(entry, among: all.map(\.key)) }
    guard let setting = settings.first(where: { $0.key == entry.key }) else { return [] }
    guard setting.isList || !entry.isList else {
      throw error(line: entry.line, "\(entry.key): it must be a single value")
    }
    do {
      return try setting.arguments(for: entry.text)
    } catch {
      throw self.error(line: entry.line, "\(entry.key): \(error)")
    }
  }

  /// Returns the keys of the settings whose values differ from those of an earlier version of the file.
  func changes(since earlier: ConfigurationFile) -> [String] {
    func texts(_ file: ConfigurationFile) -> [String: String] {
      Dictionary(file.entries.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
    }
    let (before, now) = (texts(earlier), texts(self))
    return Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }.sorted()
  }

  private func parse(_ text: String) throws -> YAMLNode? {
    do throws(YAMLError) {
      return try YAMLNode.parse(text)
    } catch {
      switch error {
      case .syntax(let problem, let line, _): throw self.error(line: line, "not YAML: \(problem)")
      case .repeatedKey(let key, let line):
        throw self.error(line: line, "\(key) is given twice")
      case .unreadable(let problem, _):
        throw ConfigurationError(place: path, message: "not YAML: \(problem)")
      }
    }
  }

  private mutating func read(_ settings: [YAMLNode.Entry], section: String?, _ mistakes: Mistakes) {
    for setting in settings { mistakes.attempt { try read(setting, section: section, mistakes) } }
  }

  private mutating func read(_ setting: YAMLNode.Entry, section: String?, _ mistakes: Mistakes) throws {
    guard let name = setting.key else { throw error(line: setting.line, "a key must be a name") }
    let key = section.map { "\($0).\(name)" } ?? name
    // In its section and outside of it: YAML allows `log.level` as well.
    guard keys.insert(key).inserted || Setting.isSection(key) else {
      throw error(line: setting.line, "\(key) is given twice")
    }
    if key == AccessSection.name {
      access = AccessSection(setting.value, in: path)
      return
    }
    // A key without a value, which may be commented out, sets nothing.
    if setting.value.isNull { return }
    if let text = setting.value.text {
      entries.append(Entry(key: key, text: text, line: setting.line))
    } else if let settings = setting.value.entries, section == nil, Setting.isSection(key) {
      read(settings, section: key, mistakes)
    } else if let items = setting.value.items, items.allSatisfy({ $0.text != nil }) {
      let text = items.compactMap(\.text).joined(separator: ",")
      entries.append(Entry(key: key, text: text, isList: true, line: setting.line))
    } else {
      throw error(line: setting.line, "\(key): it must be a single value")
    }
  }

  private func unknown(_ entry: Entry, among keys: [String]) -> ConfigurationError {
    if Setting.isSection(entry.key) {
      let names = keys.filter { $0.hasPrefix(entry.key + ".") }.map {
        "`\($0.dropFirst(entry.key.count + 1)):`"
      }
      return error(
        line: entry.line,
        "`\(entry.key)` is a section; write \(names.joined(separator: ", ")) below it")
    }
    let nearest = NameSuggestion.nearest(to: entry.key, among: keys)
    return error(
      line: entry.line,
      "there is no setting `\(entry.key)`"
        + (nearest.isEmpty ? "; `kindred serve --help` lists them" : Suggestion.text(nearest)))
  }

  private func error(line: Int, _ message: String) -> ConfigurationError {
    ConfigurationError(place: "\(path):\(line)", message: message)
  }
}
