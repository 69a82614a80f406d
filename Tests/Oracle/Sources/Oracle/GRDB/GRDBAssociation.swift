import GRDB

/// The error for a request that GRDB can't express or treats differently by design; only the naive evaluation
/// checks it.
struct Unsupported: Error {
  var what: String

  init(_ what: String) { self.what = what }
}

/// An association between rows: the tables of random schemas have no record types.
protocol RowAssociation: Association where OriginRowDecoder == Row, RowDecoder == Row {}
protocol RowAssociationToOne: RowAssociation, AssociationToOne {}
protocol RowAssociationToMany: RowAssociation, AssociationToMany {}

extension BelongsToAssociation: RowAssociation, RowAssociationToOne where Origin == Row, Destination == Row {}
extension HasOneAssociation: RowAssociation, RowAssociationToOne where Origin == Row, Destination == Row {}
extension HasManyAssociation: RowAssociation, RowAssociationToMany where Origin == Row, Destination == Row {}
extension HasOneThroughAssociation: RowAssociation, RowAssociationToOne
where Origin == Row, Destination == Row {}
extension HasManyThroughAssociation: RowAssociation, RowAssociationToMany
where Origin == Row, Destination == Row {}

extension GRDBTranslator {
  /// GRDB's association with a unique key, so that no two associations share a join.
  func association(_ association: AssociationSchema, key: String) throws -> any RowAssociation {
    guard association.isToMany || association.steps.allSatisfy(\.isToOne),
      association.steps.allSatisfy({ $0.isToOne || $0.sort == nil })
    else { throw Unsupported("the first of several") }
    guard association.steps.count <= 2, let last = association.steps.last else {
      throw Unsupported("more pivots")
    }
    var target = try step(last, key: key)
    if association.steps.count == 2 {
      let pivot = try filtered(
        step(association.steps[0], key: "\(key) pivot"), by: association.steps[0].filter)
      target = try filtered(target, by: last.filter)
      return try filtered(
        Self.through(pivot, target, from: association.steps[0].origin, key: key), by: association.filter)
    }
    return try filtered(filtered(target, by: last.filter), by: association.filter)
  }

  private func step(_ step: AssociationSchema.Step, key: String) throws -> any RowAssociation {
    let (origin, destination) = (Table<Row>(step.origin), Table<Row>(step.destination))
    if step.isBelongsTo {
      return origin.belongsTo(
        destination, key: key, using: ForeignKey(step.originColumns, to: step.destinationColumns))
    }
    let foreignKey = ForeignKey(step.destinationColumns, to: step.originColumns)
    return step.isToOne
      ? origin.hasOne(destination, key: key, using: foreignKey)
      : origin.hasMany(destination, key: key, using: foreignKey)
  }

  private func filtered(_ association: any RowAssociation, by filter: Expr?) throws -> any RowAssociation {
    guard let filter else { return association }
    return Self.filtered(association, try expression(filter))
  }

  private static func filtered(_ association: some RowAssociation, _ filter: SQLExpression)
    -> any RowAssociation
  {
    association.filter(filter)
  }

  private static func through(
    _ pivot: any RowAssociation, _ target: any RowAssociation, from origin: String, key: String
  ) -> any RowAssociation {
    if let pivot = pivot as? any RowAssociationToOne, let target = target as? any RowAssociationToOne {
      return one(pivot, target, from: origin, key: key)
    }
    return many(pivot, target, from: origin, key: key)
  }

  private static func one(
    _ pivot: some RowAssociationToOne, _ target: some RowAssociationToOne, from origin: String, key: String
  ) -> any RowAssociation {
    Table<Row>(origin).hasOne(Row.self, through: pivot, using: target, key: key)
  }

  private static func many(
    _ pivot: some RowAssociation, _ target: some RowAssociation, from origin: String, key: String
  ) -> any RowAssociation {
    Table<Row>(origin).hasMany(Row.self, through: pivot, using: target, key: key)
  }
}
