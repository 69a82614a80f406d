import TypedRequests

#if GRDB_SIDE
  import GRDB
#else
  import Kindred
#endif

/// An association whose type is hidden, so that a description can name it.
protocol Link<Origin>: Sendable {
  associatedtype Origin: Model

  /// Returns the request after calling a joining method with the association.
  func joined<R: DerivableRequest>(
    to request: R, _ joining: Joining, _ use: AssociationUse, _ interpreter: Interpreter
  ) throws -> R where R.RowDecoder == Origin

  /// Returns the request annotated with columns of an associated record.
  func annotating<R: DerivableRequest>(
    _ request: R, isRequired: Bool, _ use: AssociationUse, _ columns: [Renamed], _ interpreter: Interpreter
  ) throws -> R where R.RowDecoder == Origin

  func aggregate(
    _ function: TypedRequests.Aggregate.Function, of column: String, _ use: AssociationUse,
    _ interpreter: Interpreter
  ) throws -> AssociationAggregate<Origin>
}

/// The operations that all kinds of associations have in common.
protocol AssociationLink: Link {
  associatedtype Base: Association where Base.OriginRowDecoder == Origin, Base.RowDecoder: Model
  var association: Base { get }
}

extension AssociationLink {
  func refined(_ use: AssociationUse, _ interpreter: Interpreter) throws -> Base {
    try interpreter.refined(use.key.map { association.forKey($0) } ?? association, by: use.chain)
  }

  func joined<R: DerivableRequest>(
    to request: R, _ joining: Joining, _ use: AssociationUse, _ interpreter: Interpreter
  ) throws -> R where R.RowDecoder == Origin {
    let association = try refined(use, interpreter)
    return switch joining {
    case .includingRequired: request.including(required: association)
    case .includingOptional: request.including(optional: association)
    case .joiningRequired: request.joining(required: association)
    case .joiningOptional: request.joining(optional: association)
    case .includingAll: throw Unsupported("a collection of one record")
    }
  }

  func annotating<R: DerivableRequest>(
    _ request: R, isRequired: Bool, _ use: AssociationUse, _ columns: [Renamed], _ interpreter: Interpreter
  ) throws -> R where R.RowDecoder == Origin {
    let association = try refined(use, interpreter).select(columns.map { Column($0.column).forKey($0.name) })
    return isRequired
      ? request.annotated(withRequired: association) : request.annotated(withOptional: association)
  }

  func aggregate(
    _ function: TypedRequests.Aggregate.Function, of column: String, _ use: AssociationUse,
    _ interpreter: Interpreter
  ) throws -> AssociationAggregate<Origin> { throw Unsupported("aggregates of one record") }
}

/// An association to one record.
struct ToOne<Base: AssociationToOne & Sendable>: AssociationLink
where Base.OriginRowDecoder: Model, Base.RowDecoder: Model {
  typealias Origin = Base.OriginRowDecoder
  let association: Base

  init(_ association: Base) { self.association = association }
}

/// An association to a common table expression, which is only joined.
struct JoinedOnly<Base: Association & Sendable>: AssociationLink
where Base.OriginRowDecoder: Model, Base.RowDecoder: Model {
  typealias Origin = Base.OriginRowDecoder
  let association: Base

  init(_ association: Base) { self.association = association }
}

/// An association to any number of records.
struct ToMany<Base: AssociationToMany & Sendable>: AssociationLink
where Base.OriginRowDecoder: Model, Base.RowDecoder: Model {
  typealias Origin = Base.OriginRowDecoder
  let association: Base

  init(_ association: Base) { self.association = association }

  func joined<R: DerivableRequest>(
    to request: R, _ joining: Joining, _ use: AssociationUse, _ interpreter: Interpreter
  ) throws -> R where R.RowDecoder == Origin {
    let association = try refined(use, interpreter)
    return switch joining {
    case .includingRequired: request.including(required: association)
    case .includingOptional: request.including(optional: association)
    case .joiningRequired: request.joining(required: association)
    case .joiningOptional: request.joining(optional: association)
    case .includingAll: request.including(all: association)
    }
  }

  func aggregate(
    _ function: TypedRequests.Aggregate.Function, of column: String, _ use: AssociationUse,
    _ interpreter: Interpreter
  ) throws -> AssociationAggregate<Origin> {
    let association = try refined(use, interpreter)
    return switch function {
    case .count: association.count
    case .isEmpty: association.isEmpty
    case .min: association.min(Column(column))
    case .max: association.max(Column(column))
    case .average: association.average(Column(column))
    case .sum: association.sum(Column(column))
    case .total: association.total(Column(column))
    }
  }
}
