import KindredClock
import KindredPostgreSQL

/// Watches the nodes of a sharded database, each of which has separate snapshots.
///
/// A commit changes the snapshot of each node that it writes to, through whichever node it came.
final class NodeWatcher {
  private let target: ConnectionTarget
  private var connections: [ConnectionTarget.Node: PostgreSQLConnection] = [:]
  /// The time until which the nodes are queried through the connected one, because another can't be reached.
  private var detourEnd: UInt64 = 0

  /// The nanoseconds that a node has to answer.
  private static let patience: UInt64 = 2_000_000_000
  /// The nanoseconds after which an unreachable node is tried again.
  private static let pause: UInt64 = 30_000_000_000

  init(_ target: ConnectionTarget) {
    var target = target
    target.connectTimeout = 2
    self.target = target
  }

  /// Returns the snapshots of all nodes, in a fixed order; nil if a node can't be queried.
  ///
  /// - Parameter connection: A connection to one of the nodes.
  /// - Throws: `PostgreSQLError`.
  func snapshots(_ connection: PostgreSQLConnection) throws -> String? {
    let rows = try connection.run([Self.nodes])[0]
    guard MonotonicTime.now() >= detourEnd else { return try throughOne(connection) }
    var texts: [String] = []
    var used: Set<ConnectionTarget.Node> = []
    for row in 0..<rows.rowCount {
      guard let host = rows.text(row, 1), let port = rows.integer(row, 2), !rows.isTrue(row, 3) else {
        texts.append(rows.text(row, 0) ?? "")
        continue
      }
      let node = ConnectionTarget.Node(host: host, port: Int(port))
      used.insert(node)
      guard let text = try? snapshot(of: node) else {
        detourEnd = MonotonicTime.now() + Self.pause
        return try throughOne(connection)
      }
      texts.append(text)
    }
    connections = connections.filter { used.contains($0.key) }
    return texts.joined(separator: " ")
  }

  private func snapshot(of node: ConnectionTarget.Node) throws -> String {
    let known = connections[node]
    do {
      let connection = try known ?? PostgreSQLConnection(target.at(node))
      connections[node] = connection
      connection.deadline = MonotonicTime.now() + Self.patience
      return try connection.run([StateNumbers.query])[0].text(0, 0) ?? ""
    } catch {
      connections[node] = nil
      // It may have been idle for long.
      guard known != nil else { throw error }
      return try snapshot(of: node)
    }
  }

  /// Asks all nodes through one, which takes ten times as long, but needs no way to the others.
  private func throughOne(_ connection: PostgreSQLConnection) throws -> String? {
    let row = try connection.run([Self.all])[0]
    return row.isTrue(0, 0) ? row.text(0, 1) : nil
  }

  /// The nodes, the connected one with its snapshot.
  private static let nodes = Query(
    """
    SELECT \(StateNumbers.snapshot), n.nodename, n.nodeport,
      n.groupid = (SELECT groupid FROM pg_dist_local_group)
    FROM pg_dist_node n WHERE n.noderole = 'primary' ORDER BY n.groupid
    """)

  private static let all = Query(
    """
    SELECT bool_and(success), string_agg(result, ' ' ORDER BY nodeid)
    FROM run_command_on_all_nodes($command$SELECT \(StateNumbers.snapshot)$command$)
    """)
}
