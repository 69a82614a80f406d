import CKindredPostgreSQL

/// The URL of a PostgreSQL database, with all parameters that libpq supports
/// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>), and settings of the connection.
public struct ConnectionTarget: Sendable {
  /// Whether a connection prepares statements for reuse.
  public enum Preparation: String, Sendable, CaseIterable {
    /// Unless a connection pooler is detected.
    case auto
    case on
    case off
  }

  /// The URL that was passed to the initializer; it may contain a password.
  let url: String
  /// The seconds that an attempt to connect to one host may take, unless the URL sets them; of several hosts, each may take
  /// at most two.
  public var connectTimeout = 5
  /// Whether statements are prepared for reuse.
  public var preparation = Preparation.auto

  /// The only server to connect to, instead of those of the URL; nil for the URL's.
  var node: Node?
  let cache = SettingsCache()
  /// The latest server that the URL has led to.
  public let epoch = ServerEpoch()

  /// The address of a server.
  public struct Node: Hashable, Sendable {
    /// The name or address of the host.
    public let host: String
    /// The number of the port.
    public let port: Int

    /// Creates an address.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  /// Returns the target of the same database, user and settings on another server.
  public func at(_ node: Node) -> ConnectionTarget {
    var target = self
    target.node = node
    return target
  }

  /// Creates the target of a URL; nil if its scheme is not PostgreSQL's.
  public init?(_ url: String) {
    // RFC 3986 §3.1 allows any case; libpq doesn't.
    guard let scheme = Self.schemes.first(where: { url.prefix($0.count).lowercased() == $0 }) else {
      return nil
    }
    self.url = scheme + url.dropFirst(scheme.count)
  }

  private static let schemes = ["postgres://", "postgresql://"]

  /// Checks that the client library is installed.
  ///
  /// - Throws: `PostgreSQLError` that names the package to install.
  public static func checkLibrary() throws(PostgreSQLError) {
    guard kindred_pq_load() else {
      throw PostgreSQLError(.connectionFailure, String(message: kindred_pq_problem()))
    }
  }

}

extension ConnectionTarget: CustomStringConvertible {
  /// The URL without its password.
  public var description: String {
    guard let scheme = url.range(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    var shown = String(url[..<scheme.upperBound])
    if let last = rest.lastIndex(of: "@"), last >= authority.endIndex {
      // What stands before it may be a password whose special characters are not escaped. After a question mark, it may be
      // that or an option, so nothing is shown.
      guard !rest[..<last].contains("?") else { return shown + "…" }
      return shown + "…" + rest[last...].prefix { $0 != "?" }
    }
    if let at = authority.lastIndex(of: "@") {
      let user = authority[..<at].prefix { $0 != ":" }
      shown += user + authority[at...]
    } else {
      shown += authority
    }
    let tail = rest[authority.endIndex...]
    let path = tail.prefix { $0 != "?" }
    let options = tail[path.endIndex...].dropFirst().split(separator: "&").map { option in
      let name = option.prefix { $0 != "=" }
      return name.lowercased().contains("password") ? "\(name)=…" : String(option)
    }
    return shown + path + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
  }

  /// Returns libpq's message about a failed connection without the URL's secrets.
  ///
  /// libpq quotes the parts of a URL that it can't use. If the password contains a slash or an at sign that isn't escaped,
  /// the part may be one of the password's.
  func withoutSecrets(_ message: String) -> String {
    let rest = url.drop { $0 != ":" }.dropFirst("://".count)
    // As libpq divides it: up to the first of these, it is the user and the password.
    let credentials = rest.prefix { $0 != "@" && $0 != "/" }
    let address = rest[credentials.endIndex...].dropFirst()
    if credentials.contains(":"), address.contains("@") {
      return "the URL can't be used; in a password, write / as %2F, @ as %40 and % as %25"
    }
    let password = credentials.drop { $0 != ":" }.dropFirst()
    let options = url.drop { $0 != "?" }.dropFirst().split(separator: "&").filter {
      $0.prefix { $0 != "=" }.lowercased().contains("password")
    }
    let secrets = [password] + options.map { $0.drop { $0 != "=" }.dropFirst() }
    return secrets.filter { !$0.isEmpty }.reduce(message.replacing(url, with: description)) {
      message, secret in
      message.replacing("\"\(secret)\"", with: "\"…\"")
    }
  }
}

extension String {
  /// Returns the first range of a part of the text.
  fileprivate func range(of part: String) -> Range<Index>? { ranges(of: part).first }
}
