import Foundation
import KindredPostgreSQL
import Testing

/// The PostgreSQL server for the tests: the one that `KINDRED_TEST_POSTGRES` names, or a private one with a socket
/// in a temporary directory, which stops when the tests end for any reason.
final class Cluster: Sendable {
  /// The server, started when a test first needs it.
  static let shared = Result { try started() }

  /// Whether a server is available.
  static var isAvailable: Bool { given != nil || programs != nil }

  /// Whether it is a private one.
  static var isPrivate: Bool { given == nil && isAvailable }

  /// The engine whose statements are used, from `KINDRED_TEST_ENGINE`; nil for that of the server.
  static var engine: EngineCapabilities.Engine? {
    ProcessInfo.processInfo.environment["KINDRED_TEST_ENGINE"].flatMap(EngineCapabilities.Engine.init)
  }

  private static var given: String? { ProcessInfo.processInfo.environment["KINDRED_TEST_POSTGRES"] }

  /// The directory of the newest `initdb`.
  private static var programs: String? {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }

  /// The URL of the default database.
  let url: String
  /// Stops the private server when it is closed.
  private let lifeline: Pipe?

  private init(url: String, lifeline: Pipe?) {
    self.url = url
    self.lifeline = lifeline
  }

  private static func started() throws -> Cluster {
    if let given { return Cluster(url: given, lifeline: nil) }
    let directory = FileManager.default.temporaryDirectory.path + "/kindred-postgres-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let lifeline = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "cluster", programs ?? "", directory]
    process.standardInput = lifeline
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let url = "postgres:///postgres?host=\(directory)/socket&user=kindred"
    let target = try #require(ConnectionTarget(url))
    let end = Date() + 600
    var failure: PostgreSQLError?
    repeat {
      failure = refusal(of: target)
      if failure != nil { Thread.sleep(forTimeInterval: 0.05) }
    } while failure != nil && Date() < end && process.isRunning
    if let failure { throw failure }
    return Cluster(url: url, lifeline: lifeline)
  }

  /// Returns why no connection can be made; nil if one can.
  private static func refusal(of target: ConnectionTarget) -> PostgreSQLError? {
    do {
      _ = try PostgreSQLConnection(target)
      return nil
    } catch {
      return error
    }
  }

  /// The script that runs the private server, which refuses to run as root.
  ///
  /// The server stops when its standard input is closed.
  private static let script = """
    programs=$1; directory=$2; as=
    if [ "$(id -u)" = 0 ]; then as='runuser -u postgres --'; chown postgres "$directory"; fi
    cd "$directory" && $as mkdir socket &&
    $as "$programs/initdb" -D data -U kindred -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null || exit 1
    $as "$programs/postgres" -D data -c listen_addresses= -c unix_socket_directories="$directory/socket" \
      -c fsync=off -c full_page_writes=off -c autovacuum=off -c jit=off -c shared_buffers=64MB \
      -c max_connections=900 -c timezone=Asia/Kolkata -c bytea_output=escape -c extra_float_digits=0 >/dev/null 2>&1 &
    cat >/dev/null
    kill -INT $(head -1 data/postmaster.pid)
    wait
    rm -rf "$directory"
    """

  /// Creates a database for a test by running statements, and returns its target.
  static func database(_ sql: String...) throws -> ConnectionTarget {
    let cluster = try shared.get()
    let name = "kindred_test_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
    let admin = try PostgreSQLConnection(try #require(ConnectionTarget(cluster.url)))
    _ = try admin.run([Query("CREATE DATABASE \(name)", isReusable: false)])
    var parts = try #require(URLComponents(string: cluster.url))
    parts.path = "/\(name)"
    let url = try #require(parts.string)
    let target = try #require(ConnectionTarget(url))
    let connection = try PostgreSQLConnection(target)
    for statement in sql { _ = try connection.run([Query(statement, isReusable: false)]) }
    return target
  }
}

extension PostgreSQLConnection {
  /// Returns the rows of a statement as texts.
  func rows(_ sql: String, _ values: String?...) throws -> [[String?]] {
    let result = try run([Query(sql, values.map { $0.map { Array($0.utf8) } })])
    guard let rows = result.first else { return [] }
    return (0..<rows.rowCount).map { row in (0..<rows.columnCount).map { rows.text(row, $0) } }
  }
}
