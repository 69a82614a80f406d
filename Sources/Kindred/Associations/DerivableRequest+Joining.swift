/// The joining methods.
///
/// What of a record is joined is refined on the association; the same association under the same key is joined once,
/// and what is said of it in several places holds together: `including` before `joining`, `required` before
/// `optional`, all filters, the last order and the last selection.
extension DerivableRequest {
  /// With one associated record in each row; records that have none are left out.
  public func including<A: Association>(required association: A) -> Self
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: true, isIncluded: true) }
  }

  /// With one associated record in each row, where there is one.
  public func including<A: Association>(optional association: A) -> Self
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: false, isIncluded: true) }
  }

  /// With a collection of all associated records.
  public func including<A: AssociationToMany>(all association: A) -> Self
  where A.OriginRowDecoder == RowDecoder {
    with { $0.prefetch(association.path) }
  }

  /// Without the records that have no associated one, which is not selected.
  public func joining<A: Association>(required association: A) -> Self
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: true, isIncluded: false) }
  }

  /// With an associated record to speak of, which is not selected.
  public func joining<A: Association>(optional association: A) -> Self
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: false, isIncluded: false) }
  }

  /// With the selected columns of an associated record after those of the record; records that have none are left
  /// out.
  public func annotated<A: Association>(withRequired association: A) -> Self
  where A.OriginRowDecoder == RowDecoder {
    annotated(with: association, isRequired: true)
  }

  /// With the selected columns of an associated record after those of the record: NULL where there is none.
  public func annotated<A: Association>(withOptional association: A) -> Self
  where A.OriginRowDecoder == RowDecoder {
    annotated(with: association, isRequired: false)
  }

  private func annotated(with association: some Association, isRequired: Bool) -> Self {
    let alias = TableAlias()
    let blueprint = association.blueprint
    let selection = (blueprint.selection ?? blueprint.defaultSelection) + blueprint.annotations
    return with {
      $0.join(association.aliased(alias).path, isRequired: isRequired, isIncluded: false)
      $0.annotations += selection.map { $0.about(alias) }
    }
  }
}

extension SQLSelection {
  /// The same of the record of an alias.
  fileprivate func about(_ alias: TableAlias) -> SQLSelection {
    switch item {
    case .all: SQLSelection(.allOf(alias))
    case .allOf: self
    case .expression(let expression, let name): SQLSelection(.expression(alias[expression], name: name))
    case .literal(let literal, of: let other): SQLSelection(.literal(literal, of: other ?? alias))
    }
  }
}
