import ArgumentParser
import KindredAPI
import KindredHTTP
import KindredRequests
import KindredPostgreSQL

/// The origins whose pages may use the server: `*`, or `https://example.org,http://localhost:3000`.
struct Origins: SettingValue, ExpressibleByArgument {
  let origins: CORSPolicy.Origins

  init?(setting text: String) {
    guard text != "*" else {
      origins = .any
      return
    }
    // The form in which browsers send origins, without the port that is the scheme's (RFC 6454 §6.2); any other would
    // never match.
    let form = /https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?/
    let names = text.split(separator: ",").map { $0.drop { $0 == " " } }
    let hasOwnPort = /http:.*:0*80|https:.*:0*443/
    guard !names.isEmpty,
      names.allSatisfy({ $0.wholeMatch(of: form) != nil && $0.wholeMatch(of: hasOwnPort) == nil })
    else { return nil }
    origins = .these(Set(names.map(String.init)))
  }

  static var expectation: String {
    "* or origins with commas between them, such as https://example.org,http://localhost:3000"
  }
  static var isList: Bool { true }
}

/// The host names under which the server may be addressed: `*`, or `api.example.org,[2001:db8::1]`.
struct Hosts: SettingValue, ExpressibleByArgument {
  let hosts: AllowedHosts

  init?(setting text: String) {
    let form = /\*|[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\]/
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
    guard names.allSatisfy({ $0.wholeMatch(of: form) != nil }) else { return nil }
    hosts = AllowedHosts(names.map(String.init))
  }

  static var expectation: String {
    "* or host names without ports, separated by commas, such as api.example.org,192.0.2.1,[2001:db8::1]"
  }
  static var isList: Bool { true }
}

/// The compression level of answers, from 1 (fastest) to 9 (smallest); 0 turns compression off.
struct CompressionLevel: SettingValue, ExpressibleByArgument, CustomStringConvertible {
  /// The level; nil for no compression.
  let level: Int?

  init?(setting text: String) {
    guard let level = Int(text), (0...9).contains(level) else { return nil }
    self.init(level)
  }

  init(_ level: Int) { self.level = level == 0 ? nil : level }

  static var expectation: String { "a number from 0 to 9" }
  var description: String { "\(level ?? 0)" }
}

extension BasePath: SettingValue, ExpressibleByArgument {
  init?(setting text: String) {
    guard !text.isEmpty else { return nil }
    self.init(text)
  }

  /// The path of this text.
  public init?(argument: String) { self.init(setting: argument) }

  static var expectation: String {
    "a path of letters, digits and -._~ that begins with a slash, such as /library"
  }
}

extension TrustedProxies: SettingValue, ExpressibleByArgument {
  init?(setting text: String) {
    self.init(text.split(separator: ",", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } })
  }

  /// The proxies of this text.
  public init?(argument: String) { self.init(setting: argument) }

  static var expectation: String {
    "addresses or networks with commas between them, such as 127.0.0.1,10.0.0.0/8,fd00::/8, or unix"
  }
  static var isList: Bool { true }
}

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
