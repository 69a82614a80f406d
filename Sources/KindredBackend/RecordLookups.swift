import KindredAssociations
import Synchronization

/// How records are found for a change, in the form that runs.
public struct ExecutableLookup: Sendable {
  /// The columns that it reads.
  public let columns: [String]
  package let steps: [(statement: ExecutableStatement, absence: String)]
  package let searches: [(statement: ExecutableStatement, check: Plan.SearchCheck)]
  package let transients: [TransientTable]

  /// The form of a lookup that runs.
  public init(_ lookup: RecordLookup) {
    columns = lookup.columns
    steps = lookup.steps.map { (ExecutableStatement($0.statement), $0.absence) }
    searches = lookup.searches.map { (ExecutableStatement($0.statement), $0) }
    transients = lookup.transients
  }

  /// What is not there where the last step leads nowhere.
  public var absence: String { steps.last?.absence ?? "" }
}

/// How the records of paths are found, by the shape of the path.
public final class RecordLookups: Sendable {
  private struct Shape: Hashable {
    let resource: String
    let segments: [Segment]
    let columns: [String]
  }

  private enum Segment: Hashable {
    case association(String)
    case record([String], literals: [[Int]])
  }

  private static let capacity = 1024
  private let lookups = Mutex<[Shape: ExecutableLookup]>([:])
  private let model: Model

  /// No lookup yet.
  public init(model: Model) {
    self.model = model
  }

  /// How columns of the one record at the end of `path` are read.
  ///
  /// - Throws: `RequestError`.
  public func lookup(_ path: RequestPath, columns: [String]) throws -> ExecutableLookup {
    let segments = path.segments.map { segment -> Segment in
      switch segment {
      case .association(let association): .association(association.key)
      case .record(let key): .record(key.map(\.name), literals: key.map(\.literals))
      }
    }
    let shape = Shape(resource: path.resource, segments: segments, columns: columns)
    if let lookup = lookups.withLock({ $0[shape] }) { return lookup }
    let lookup = ExecutableLookup(try Planner(model: model).lookup(path, columns: columns))
    lookups.withLock { lookups in
      if lookups.count >= Self.capacity { lookups.removeAll(keepingCapacity: true) }
      lookups[shape] = lookup
    }
    return lookup
  }
}
