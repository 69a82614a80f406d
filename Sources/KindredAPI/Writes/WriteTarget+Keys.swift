import KindredModel
import KindredSQLSyntax
import KindredRequests

/// What the path says of the keys of new records.
extension WriteTarget {
  /// Returns whether the path gives a column of the key this value.
  func names(_ value: SQLValue, _ column: RequestPath.KeyColumn) -> Bool {
    column.literals.contains { literals.values[$0].isSameKey(as: value) }
  }

  /// Returns the values that the path gives to columns of a new record.
  ///
  /// - Throws: `Problem` (422) if the draft contains other values.
  func keyValues(for draft: RecordDraft) throws -> (columns: [String], values: [SQLValue]) {
    let columns = (key ?? []).filter { !isGenerated($0) }
    let values = try columns.map { column -> SQLValue in
      let forms = column.literals.map { literals.values[$0] }
      guard let given = draft.value(of: column.name) else {
        guard let stored = resource.table.column(named: column.name) else { return .null }
        do {
          return try stored.preferred(among: forms)
        } catch let refusal as Column.Refusal {
          throw Problem.refusedValue(refusal.message, at: draft.pointer + column.name)
        }
      }
      guard names(given, column) else {
        throw Problem.refusedValue(
          "`\(column.name)` contradicts the path; leave it out", at: draft.pointer + column.name)
      }
      return given
    }
    return (columns.map(\.name), values)
  }

  /// The generated columns of the key, whose values follow from those of other columns.
  var generatedKey: [RequestPath.KeyColumn] { (key ?? []).filter(isGenerated) }

  private func isGenerated(_ column: RequestPath.KeyColumn) -> Bool {
    resource.table.column(named: column.name)?.isGenerated ?? false
  }

  /// Checks that a new record can be found by the generated columns of the path.
  ///
  /// - Throws: `Problem` (422) if it has other values.
  func checkGenerated(_ record: StoredRecord, of draft: RecordDraft) throws {
    for (column, value) in zip(generatedKey, record.values(of: generatedKey.map(\.name)))
    where !names(value, column) {
      throw Problem.refusedValue(
        "`\(column.name)` is computed from other columns, and its value would contradict the path",
        at: draft.pointer)
    }
  }
}

extension Column {
  /// Returns which of the values that a text in a URL may stand for is stored.
  ///
  /// - Throws: `Refusal` if the column can't store it.
  fileprivate func preferred(among forms: [SQLValue]) throws(Refusal) -> SQLValue {
    guard isUntyped else {
      // For a BLOB column, the last candidate is the decoded base64.
      guard case .text(let text)? = forms.last else { return forms.last ?? .null }
      return try value(ofText: text)
    }
    return forms.first {
      switch $0 {
      case .integer, .real: true
      case .null, .text, .blob: false
      }
    } ?? forms.first ?? .null
  }
}
