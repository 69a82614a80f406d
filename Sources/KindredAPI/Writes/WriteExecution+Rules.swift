import KindredModel
import KindredPlanning
import KindredRequests

/// Which records may be tested against the access rules together, after all of them have been stored.
extension WriteExecution {
  /// Returns whether the row rules of everything that drafts write, and the values that are computed, read nothing but the
  /// record that is tested.
  ///
  /// A rule that reads other records, through an association or an aggregate, might otherwise hold because of a record
  /// that is stored after its own.
  func areTestedAlone(_ drafts: [RecordDraft]) -> Bool {
    let version = plan.version
    guard plan.computed?.readsOnlyRecord(of: resource.table) ?? true else { return false }
    guard version.model.isRestricted else { return true }
    return resource.isTestedAlone && (target.linkage?.isTestedAlone(in: version) ?? true)
      && drafts.allSatisfy { $0.isTestedAlone(in: version) }
  }
}

extension RecordDraft {
  /// Returns whether the same is true of the records that are nested in the draft.
  fileprivate func isTestedAlone(in version: ModelVersion) -> Bool {
    nested.allSatisfy { nested in
      nested.resource.isTestedAlone && nested.linkage.isTestedAlone(in: version)
        && nested.records.allSatisfy { $0.isTestedAlone(in: version) }
    }
  }
}

extension Linkage {
  /// Returns whether the same is true of the records of a join table.
  fileprivate func isTestedAlone(in version: ModelVersion) -> Bool {
    guard case .join(let join) = self else { return true }
    return version.written(ofTable: join.table).isTestedAlone
  }
}

extension WrittenResource {
  /// Whether the row rules for its records, and the columns that the server sets in them, read nothing but the record; a
  /// view reads records of its tables.
  fileprivate var isTestedAlone: Bool {
    let rules =
      [permissions.read, permissions.create, permissions.update].compactMap { $0?.rows }
      + (permissions.update?.presets ?? []).map(\.expression)
    guard resource.otherResources.isEmpty else { return false }
    guard case .table = table.kind else { return rules.isEmpty }
    return rules.allSatisfy { $0.readsOnlyRecord(of: table) }
  }
}

extension Expression {
  /// Returns whether it reads only stored columns of the record that it is about, and claims of the client.
  func readsOnlyRecord(of table: Table) -> Bool {
    !contains { part in
      switch part.kind {
      case .path(let path): !path.isColumn(of: table) && Expression.claim(path) == nil
      case .program: true
      default: false
      }
    }
  }
}

extension Expression.Path {
  /// Returns whether it is only the name of a column.
  fileprivate func isColumn(of table: Table) -> Bool {
    parents == 0 && components.count == 1 && components[0].arguments == nil
      && table.column(named: components[0].name) != nil
  }
}
