import CKindredPostgreSQL

/// Where a database is, and how it is reached: a URL of PostgreSQL, with everything that libpq understands in it
/// (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING>).
public struct ConnectionTarget: Sendable {
  /// Whether statements are prepared once for a connection.
  public enum Preparation: String, Sendable, CaseIterable {
    /// Unless a pooler stands between.
    case auto
    case on
    case off
  }

  /// The URL as it was given; it may hold a password.
  let url: String
  /// How long an attempt to connect to one host may take, unless the URL says so.
  public var connectTimeout = 5
  /// Whether statements are prepared.
  public var preparation = Preparation.auto

  /// The target of a URL; nil where it is none of PostgreSQL's.
  public init?(_ url: String) {
    guard Self.schemes.contains(where: url.hasPrefix) else { return nil }
    self.url = url
  }

  private static let schemes = ["postgres://", "postgresql://"]

  /// Whether a client library is there to connect with.
  ///
  /// - Throws: `PostgreSQLError` that says what to install.
  public static func checkLibrary() throws(PostgreSQLError) {
    guard kindred_pq_load() else {
      throw PostgreSQLError(
        state: PostgreSQLError.State.connectionFailure, message: String(message: kindred_pq_problem()))
    }
  }

  /// What libpq is given: those before the URL are overridden by it, those behind it override it.
  var keywords: [(name: String, value: String)] {
    [
      ("connect_timeout", String(connectTimeout)), ("fallback_application_name", "kindred"), ("dbname", url),
      ("client_encoding", "UTF8"),
    ]
  }
}

extension ConnectionTarget: CustomStringConvertible {
  /// The URL without its password.
  public var description: String {
    guard let scheme = url.range(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    var shown = String(url[..<scheme.upperBound])
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
}

extension String {
  /// Where a part of the text is first.
  fileprivate func range(of part: String) -> Range<Index>? { ranges(of: part).first }
}
