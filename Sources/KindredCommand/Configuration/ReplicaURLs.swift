import ArgumentParser
import KindredPostgreSQL

/// URLs of PostgreSQL databases, separated by commas.
struct ReplicaURLs: SettingValue, ExpressibleByArgument {
  let targets: [ConnectionTarget]

  init?(setting text: String) {
    // The hosts of one URL are separated by commas as well.
    let urls = text.split(separator: /(?i), *(?=postgres(?:ql)?:\/\/)/, omittingEmptySubsequences: false)
    targets = urls.compactMap { ConnectionTarget(String($0)) }
    guard targets.count == urls.count, !text.contains("\0") else { return nil }
  }

  static var expectation: String {
    "URLs of PostgreSQL databases, separated by commas, such as postgres://USER@HOST/NAME"
  }
  static var isList: Bool { true }
  static var isSecret: Bool { true }
}

extension [ReplicaURLs]: SettingValue {
  init?(setting text: String) {
    guard let urls = ReplicaURLs(setting: text) else { return nil }
    self = [urls]
  }

  static var expectation: String { ReplicaURLs.expectation }
  static var isList: Bool { true }
  static var isSecret: Bool { true }
}
