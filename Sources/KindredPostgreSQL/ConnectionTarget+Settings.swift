import CKindredPostgreSQL
import Synchronization

/// What libpq makes of a URL, of its variables and its files.
extension ConnectionTarget {
  struct Settings: Sendable {
    /// The hosts in their order, without their addresses.
    var hosts: [ServerAddress]
    /// Whether each connection tries them in another order (`load_balance_hosts`).
    var isShuffled = false
    /// The nanoseconds that an attempt to connect to one host may take; nil for no limit.
    var connectTimeout: UInt64?
    /// The requirements on a session that are tried one after another; nil for the URL's.
    var sessionAttributes: [String?] = [nil]
    /// The parameters that hold unless the URL sets them.
    var defaults: [(name: String, value: String)] = []
  }

  /// The settings, which are read once.
  var settings: Settings { node == nil ? cache.settings(of: self) : read() }

  /// Keeps the settings of a target and its copies.
  final class SettingsCache: Sendable {
    private let known = Mutex<[Int: Settings]>([:])

    func settings(of target: ConnectionTarget) -> Settings {
      known.withLock { known in
        if let settings = known[target.connectTimeout] { return settings }
        let settings = target.read()
        known[target.connectTimeout] = settings
        return settings
      }
    }
  }

  /// What is set for several hosts unless the URL sets it: one that is lost must not keep the others waiting.
  private static let defaultsOfSeveral = [
    ("tcp_user_timeout", "3000"), ("keepalives_idle", "2"), ("keepalives_interval", "1"),
    ("keepalives_count", "3"),
  ]
  private static let connectTimeoutOfSeveral = 2
  /// What is set for a single host unless the URL sets it, so that no connection to a server that is gone lasts for hours.
  private static let defaultsOfOne = [
    ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
  ]

  private func read() -> Settings {
    let named = values(of: [])
    func list(_ name: String) -> [String] {
      named[name].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
    }
    let (names, numbers, ports) = (list("host"), list("hostaddr"), list("port"))
    let count = max(1, names.count, numbers.count)
    func item(_ list: [String], _ index: Int) -> String {
      list.indices.contains(index) ? list[index] : list.count == 1 ? list[0] : ""
    }
    let hosts = (0..<count).map { index in
      ServerAddress(
        host: names.indices.contains(index) ? names[index] : "",
        address: numbers.indices.contains(index) ? numbers[index] : "", port: item(ports, index))
    }
    var settings = Settings(hosts: hosts, isShuffled: named["load_balance_hosts"] == "random")
    settings.defaults = Self.defaultsOfOne
    if count > 1 {
      settings.defaults =
        [("connect_timeout", String(min(connectTimeout, Self.connectTimeoutOfSeveral)))]
        + Self.defaultsOfSeveral
      if named["target_session_attrs"] == "prefer-standby" {
        settings.sessionAttributes = ["standby", "any"]
      }
    }
    // An `int` to libpq, too.
    let seconds = values(of: settings.defaults)["connect_timeout"].flatMap { Int32($0) } ?? 0
    settings.connectTimeout = seconds > 0 ? UInt64(seconds) * 1_000_000_000 : nil
    return settings
  }

  /// Returns the values of all parameters: the defaults, replaced by what the URL sets.
  private func values(of defaults: [(name: String, value: String)]) -> [String: String] {
    final class Values { var all: [String: String] = [:] }
    let values = Values()
    // libpq rejects this value, and so makes no connection.
    let keywords = keywords(defaults) + [("sslmode", "kindred")]
    Self.withKeywords(keywords) { names, texts in
      kindred_pq_settings(names, texts, Unmanaged.passUnretained(values).toOpaque()) { context, name, value in
        guard let context, let name, let value else { return }
        let values = Unmanaged<Values>.fromOpaque(context).takeUnretainedValue()
        values.all[String(cString: name)] = String(cString: value)
      }
    }
    return values.all
  }

  /// The parameters for libpq, with the defaults of these settings.
  func keywords(_ settings: Settings) -> [(name: String, value: String)] { keywords(settings.defaults) }

  /// The parameters for libpq; the URL overrides those before it, and those after it override the URL.
  private func keywords(_ defaults: [(name: String, value: String)]) -> [(name: String, value: String)] {
    [("connect_timeout", String(connectTimeout)), ("fallback_application_name", "kindred")] + defaults
      + [("dbname", url), ("client_encoding", "UTF8")]
      + (node.map { [("host", $0.host), ("hostaddr", ""), ("port", String($0.port))] } ?? [])
  }

  /// Calls `body` with the names and the values of parameters, each list ended by a null pointer.
  @discardableResult
  static func withKeywords<Result>(
    _ keywords: [(name: String, value: String)],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    withCStrings(keywords.map { Array($0.name.utf8) } + [nil]) { names in
      withCStrings(keywords.map { Array($0.value.utf8) } + [nil]) { values in body(names, values) }
    }
  }

  /// Returns the words for an address in a message.
  func described(_ address: ServerAddress) -> String {
    address.host.isEmpty && address.address.isEmpty
      ? "the server"
      : "the server at \"\(address.host.isEmpty ? address.address : address.host)\""
        + (address.port.isEmpty ? "" : ", port \(address.port)")
  }
}
