import Foundation
import KindredModel

/// The environment variables, some of which are settings.
struct Environment {
  let variables: [String: String]

  /// The environment of this process, which nothing changes after the start.
  static let current = Environment(variables: ProcessInfo.processInfo.environment)

  /// Whether a variable may be a setting.
  var hasSettings: Bool { variables.keys.contains { $0.hasPrefix(Setting.environmentPrefix) } }

  /// Returns the command-line arguments that are equivalent to the valid variables of some settings.
  ///
  /// - Parameter mistakes: receives a `ConfigurationError` for each of the others.
  func arguments(for settings: [Setting], _ mistakes: Mistakes) -> [String] {
    settings.flatMap { setting -> [String] in
      let name = setting.environmentVariable
      // Container tools pass unset variables as empty ones.
      guard let text = variables[name], !text.isEmpty, !Self.isServiceLink(name, text) else { return [] }
      do {
        return try setting.arguments(for: text)
      } catch {
        mistakes.add(ConfigurationError(place: name, message: "\(error)"))
        return []
      }
    }
  }

  /// Returns warnings about variables that look like settings but aren't.
  func warnings(_ settings: @autoclosure () -> [Setting]) -> [String] {
    guard hasSettings else { return [] }
    let known = settings().map(\.environmentVariable)
    return variables.sorted { $0.key < $1.key }.filter { name, text in
      name.hasPrefix(Setting.environmentPrefix) && !known.contains(name) && !Self.isServiceLink(name, text)
    }.map { name, _ in
      "\(name) is not a setting\(Suggestion.text(NameSuggestion.nearest(to: name, among: known)))"
    }
  }

  /// Whether Kubernetes sets a variable in every container, because there is a service named `kindred`
  /// (<https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables>).
  private static func isServiceLink(_ name: String, _ text: String) -> Bool {
    let part = name.dropFirst(Setting.environmentPrefix.count)
    if part == "PORT" { return text.wholeMatch(of: /(tcp|udp|sctp):\/\/.*/) != nil }
    let links = /SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?/
    return part.wholeMatch(of: links) != nil
  }
}
