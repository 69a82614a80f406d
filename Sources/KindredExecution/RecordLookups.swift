import KindredAssociations
import KindredSQLite
import KindredSQLSyntax
import Synchronization

/// How records are found for a change, in the form that runs.
public struct ExecutableLookup: Sendable {
  /// The columns that it reads.
  public let columns: [String]
  fileprivate let steps: [(statement: ExecutableStatement, absence: String)]
  fileprivate let searches: [(statement: ExecutableStatement, origin: Origin)]
  fileprivate let transients: [TransientTable]
  fileprivate let buildsTexts: Bool

  /// The form of a lookup that runs.
  public init(_ lookup: RecordLookup) {
    columns = lookup.columns
    steps = lookup.steps.map { (ExecutableStatement($0.statement), $0.absence) }
    searches = lookup.searches.map { (ExecutableStatement($0.statement), $0.origin) }
    transients = lookup.transients
    buildsTexts = lookup.buildsTexts
  }
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

extension Connection {
  /// The columns of the one record at the end of a path.
  ///
  /// - Throws: `RequestError` (`notFound`) where a step of the path leads nowhere; `DatabaseError`.
  public func record(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [SQLValue] {
    guard let row = try records(lookup, parameters).first else {
      throw RequestError(.notFound, lookup.steps.last?.absence ?? "")
    }
    return row
  }

  /// The columns of all records that are found.
  ///
  /// - Throws: `RequestError` where a step before the last leads nowhere (`notFound`), or a full-text pattern is
  ///   malformed; `DatabaseError`.
  public func records(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [[SQLValue]] {
    for transient in lookup.transients { try TransientTables.refresh(transient, on: self) }
    limitValues(ofBuiltTexts: lookup.buildsTexts)
    defer { limitValues(ofBuiltTexts: false) }
    var above: [[SQLValue]] = []
    for step in lookup.steps.dropLast() {
      guard let row = try rows(of: step.statement, parameters, above: above).first else {
        throw RequestError(.notFound, step.absence)
      }
      above.append(row)
    }
    for search in lookup.searches {
      do {
        _ = try rows(of: search.statement, parameters, above: above)
      } catch let error as DatabaseError where error.code == 1 {
        throw RequestError(
          .invalidExpression, "the full-text pattern is malformed: \(error.message)", at: search.origin)
      }
    }
    guard let last = lookup.steps.last else { return [] }
    return try rows(of: last.statement, parameters, above: above)
  }
}
