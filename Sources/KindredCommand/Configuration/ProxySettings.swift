import ArgumentParser
import KindredHTTP
import KindredRequests

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
