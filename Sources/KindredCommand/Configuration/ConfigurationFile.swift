import Foundation
import KindredAssociations
import Yams

/// A configuration file: YAML, a mapping of settings, some of them in sections.
///
/// It is read as nodes, because those know their lines; and it knows all settings, because a key that nobody reads
/// is a setting that somebody believes to be in force.
struct ConfigurationFile {
  private struct Entry {
    var key: String
    var text: String
    var isList = false
    var line: Int
  }

  private let path: String
  private var entries: [Entry] = []
  /// The section that says who clients are; nil where there is none.
  private(set) var access: AccessSection?

  /// - Throws: `ConfigurationError`
  init(path: String) throws {
    self.path = path
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw ConfigurationError(place: path, message: Self.reason(for: error))
    }
    guard let root = try compose(text), root.null == nil else { return }
    guard case .mapping(let mapping) = root else {
      throw error(at: root, "it must be a mapping such as `port: 8080`")
    }
    try read(mapping, section: nil)
  }

  /// The arguments of the command line that say the same as this file.
  ///
  /// - Parameters:
  ///   - settings: those that the command takes. Others are passed over.
  ///   - all: those that any command takes.
  /// - Throws: `ConfigurationError`
  func arguments(for settings: [Setting], among all: [Setting]) throws -> [String] {
    try entries.flatMap { entry -> [String] in
      guard all.contains(where: { $0.key == entry.key }) else { throw unknown(entry, among: all.map(\.key)) }
      guard let setting = settings.first(where: { $0.key == entry.key }) else { return [] }
      guard setting.isList || !entry.isList else {
        throw self.error(line: entry.line, "\(entry.key): it must be a single value")
      }
      do {
        return try setting.arguments(for: entry.text)
      } catch {
        throw self.error(line: entry.line, "\(entry.key): \(error)")
      }
    }
  }

  private func compose(_ text: String) throws -> Node? {
    do {
      return try Yams.compose(yaml: text)
    } catch let error as YamlError {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        throw self.error(line: mark.line, "not YAML: \(problem)")
      case .duplicatedKeysInMapping(let keys, let context):
        throw self.error(line: context.mark.line, "\(keys.sorted().joined(separator: ", ")) is given twice")
      case .reader(let problem, _, _, _):
        throw ConfigurationError(place: path, message: "not YAML: \(problem)")
      default:
        throw ConfigurationError(place: path, message: "not YAML: \(error)")
      }
    }
  }

  private mutating func read(_ mapping: Node.Mapping, section: String?) throws {
    for (keyNode, value) in mapping {
      guard case .scalar(let name) = keyNode else { throw error(at: keyNode, "a key must be a name") }
      let key = section.map { "\($0).\(name.string)" } ?? name.string
      if key == AccessSection.name {
        access = AccessSection(value, in: path)
        continue
      }
      // A key whose value is commented out.
      if value.null != nil { continue }
      switch value {
      case .scalar(let scalar):
        entries.append(Entry(key: key, text: scalar.string, line: keyNode.mark?.line ?? 1))
      case .mapping(let mapping) where section == nil && Setting.isSection(key):
        try read(mapping, section: key)
      case .sequence(let sequence) where sequence.allSatisfy({ $0.scalar != nil }):
        let text = sequence.compactMap(\.scalar?.string).joined(separator: ",")
        entries.append(Entry(key: key, text: text, isList: true, line: keyNode.mark?.line ?? 1))
      case .mapping, .sequence, .alias:
        throw error(at: keyNode, "\(key): it must be a single value")
      }
    }
  }

  private func unknown(_ entry: Entry, among keys: [String]) -> ConfigurationError {
    let nearest = NameSuggestion.nearest(to: entry.key, among: keys)
    return error(
      line: entry.line,
      "there is no setting `\(entry.key)`"
        + (nearest.isEmpty ? "; `kindred serve --help` lists them" : Suggestion.text(nearest)))
  }

  private func error(at node: Node, _ message: String) -> ConfigurationError {
    error(line: node.mark?.line ?? 1, message)
  }

  private func error(line: Int, _ message: String) -> ConfigurationError {
    ConfigurationError(place: "\(path):\(line)", message: message)
  }

  private static func reason(for error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile, .fileNoSuchFile: "no such file; check the path"
    case .fileReadNoPermission: "permission denied; make the file readable for this user"
    case .fileReadInapplicableStringEncoding, .fileReadCorruptFile: "it is not text in UTF-8"
    default: "it can't be read; check that it is a file"
    }
  }
}
