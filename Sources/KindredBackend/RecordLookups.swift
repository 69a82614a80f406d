import KindredModel
import KindredPlanning
import KindredSQLSyntax
import Synchronization

/// A lookup of records to be changed, in the form in which it is executed.
public struct ExecutableLookup: Sendable {
  /// The names of the columns that it reads.
  public let columns: [String]
  package let steps: [(statement: ExecutableStatement, absence: String)]
  package let searches: [(statement: ExecutableStatement, check: Plan.SearchCheck)]
  package let transients: [TransientTable]
  package let places: [Int: Literals.Place]

  /// Creates the executable form of a lookup.
  public init(_ lookup: RecordLookup) {
    columns = lookup.columns
    steps = lookup.steps.map { (ExecutableStatement($0.statement), $0.absence) }
    searches = lookup.searches.map { (ExecutableStatement($0.statement), $0) }
    transients = lookup.transients
    places = lookup.places
  }

  /// Its statement, if it is only that: the lookup of a record that is found by its own columns.
  public var onlyStatement: ExecutableStatement? {
    steps.count == 1 && searches.isEmpty && transients.isEmpty ? steps.first?.statement : nil
  }

  /// The error message if the last step finds no record.
  public var absence: String { steps.last?.absence ?? "" }
}

/// Caches the lookups of records, by the shape of their path.
public final class RecordLookups: Sendable {
  private struct Shape: Hashable {
    let resource: ExactName
    let segments: [Segment]
    let columns: [ExactName]
  }

  private enum Segment: Hashable {
    case association(ExactName)
    case record([ExactName], literals: [[Int]])
  }

  private static let capacity = 1024
  private let lookups = Mutex<[Shape: ExecutableLookup]>([:])
  private let model: Model
  private let dialect: Dialect

  /// Creates an empty cache.
  public init(model: Model, dialect: Dialect) {
    (self.model, self.dialect) = (model, dialect)
  }

  /// Returns the lookup that reads columns of the one record at the end of `path`.
  ///
  /// - Throws: `RequestError` if the path can't be planned.
  public func lookup(_ path: RequestPath, columns: [String]) throws -> ExecutableLookup {
    let segments = path.segments.map { segment -> Segment in
      switch segment {
      case .association(let association): .association(ExactName(association.key))
      case .record(let key): .record(key.map { ExactName($0.name) }, literals: key.map(\.literals))
      }
    }
    let shape = Shape(
      resource: ExactName(path.resource), segments: segments, columns: columns.exact)
    if let lookup = lookups.withLock({ $0[shape] }) { return lookup }
    let lookup = ExecutableLookup(try Planner(model: model, dialect: dialect).lookup(path, columns: columns))
    lookups.withLock { lookups in
      if lookups.count >= Self.capacity { lookups.removeAll(keepingCapacity: true) }
      lookups[shape] = lookup
    }
    return lookup
  }
}

/// The values that expressions give to columns of one record, in the form in which they are read.
public struct AssignedValues: Sendable {
  /// Reads the values.
  public let lookup: ExecutableLookup
  private let places: [Int]

  /// Creates the executable form of a lookup.
  public init(_ values: AssignedValuesLookup) {
    lookup = ExecutableLookup(values.lookup)
    places = values.places
  }

  /// Returns the value of each expression from a row of the lookup.
  public func values(in row: [SQLValue]) -> [SQLValue] { places.map { row[$0] } }
}
