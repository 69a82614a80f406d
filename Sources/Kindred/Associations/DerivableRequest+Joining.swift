/// Methods that bring an association into a request.
///
/// Selections, filters and orders of associated records are given on the association. The same association under
/// the same key is joined once, and all its uses are merged: `including` takes precedence over `joining`, and
/// `required` over `optional`; all filters apply; the last order and the last selection win.
extension RequestSource {
  /// Includes one associated record in each row, and leaves out records that have none (`INNER JOIN`).
  public func including<A: Association>(required association: A) -> Refined
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: true, isIncluded: true) }
  }

  /// Includes one associated record in each row if there is one (`LEFT JOIN`).
  public func including<A: Association>(optional association: A) -> Refined
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: false, isIncluded: true) }
  }

  /// Includes a collection of all associated records, read by a separate statement.
  public func including<A: AssociationToMany>(all association: A) -> Refined
  where A.OriginRowDecoder == RowDecoder {
    with { $0.prefetch(association.path) }
  }

  /// Keeps only records that have an associated record, without selecting it (`INNER JOIN`).
  public func joining<A: Association>(required association: A) -> Refined
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: true, isIncluded: false) }
  }

  /// Joins an associated record without selecting it, so that expressions can refer to it (`LEFT JOIN`).
  public func joining<A: Association>(optional association: A) -> Refined
  where A.OriginRowDecoder == RowDecoder {
    with { $0.join(association.path, isRequired: false, isIncluded: false) }
  }

  /// Adds the selected columns of an associated record to those of the record, and leaves out records that have
  /// none.
  public func annotated<A: Association>(withRequired association: A) -> Refined
  where A.OriginRowDecoder == RowDecoder {
    annotated(with: association, isRequired: true)
  }

  /// Adds the selected columns of an associated record to those of the record; they are NULL if there is none.
  public func annotated<A: Association>(withOptional association: A) -> Refined
  where A.OriginRowDecoder == RowDecoder {
    annotated(with: association, isRequired: false)
  }

  private func annotated(with association: some Association, isRequired: Bool) -> Refined {
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
  /// Returns the same selection from the record that `alias` stands for.
  fileprivate func about(_ alias: TableAliasBase) -> SQLSelection {
    switch item {
    case .all: SQLSelection(.allOf(alias, except: []))
    case .allExcept(let names): SQLSelection(.allOf(alias, except: names))
    case .deferred(let selection):
      SQLSelection(.deferred { context in try selection(context).map { $0.sqlSelection.about(alias) } })
    case .allOf: self
    case .expression(let expression, let name): SQLSelection(.expression(alias[expression], name: name))
    case .literal(let literal, of: let other): SQLSelection(.literal(literal, of: other ?? alias))
    }
  }
}
