import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests
import KindredHTTP

/// A record to be written, with the records to be associated with it.
struct RecordDraft: Sendable {
  struct Assignment: Sendable {
    let column: String
    let value: SQLValue
    /// Whether the client chose the value; otherwise it follows from the path or the surrounding record.
    var isChosen = true
    /// Whether the column is one that the model defines, which isn't stored.
    var isOfModel = false
    /// Whether the column holds arrays.
    var isArray = false
    /// Whether the value is a JSON object that changes the stored one (RFC 7396).
    var isPatch = false
    /// Where the client wrote it.
    var source = Source.content

    /// Whether `set` of the request computes it.
    var isComputed: Bool { source != .content }
  }

  /// The place of a value in a request.
  enum Source: Equatable, Sendable {
    case content
    /// `set`; a constant is the same whatever the records hold.
    case computed(isConstant: Bool)
  }

  /// Records to be associated with the record that contains them.
  struct Nested: Sendable {
    let association: Association
    let resource: WrittenResource
    let linkage: Linkage
    /// How records that are there are found; nil if all are new.
    let conflict: NestedConflicts.Conflict?
    /// The records; empty if the client wrote `null` or an empty array.
    let records: [RecordDraft]
    let pointer: JSONPointer
  }

  var assignments: [Assignment] = []
  /// The values that the content has for generated and computed columns, which only the database determines.
  var computed: [Assignment] = []
  var nested: [Nested] = []
  /// The value that is stored after the record, in which it is empty.
  var longValue: LongValue?
  /// The position in the client's content.
  let pointer: JSONPointer

  var isEmpty: Bool { assignments.isEmpty && computed.isEmpty && nested.isEmpty }

  /// Whether an association at any depth has several records.
  var containsMany: Bool {
    nested.contains { $0.records.count > 1 || $0.records.contains(where: \.containsMany) }
  }

  /// The columns of the table among the columns that only the database determines.
  var generatedColumns: [String] { computed.filter { !$0.isOfModel }.map(\.column) }

  /// The values of the content, also those for generated columns.
  var given: [Assignment] { assignments + computed }

  /// The columns to be written.
  var columns: [String] { assignments.map(\.column) }

  /// The columns that the content names, and those whose values come from elsewhere.
  var namedColumns: [String] { columns + computed.map(\.column) }

  /// The columns whose values the client chose, in the content or in the path.
  var chosenColumns: NameSet { NameSet(assignments.filter(\.isChosen).map(\.column)) }

  func value(of column: String) -> SQLValue? { assignments.first { $0.column.hasBytes(of: column) }?.value }

  /// Returns whether the draft consists only of the key of a record.
  func isKey(of table: Table) -> Bool {
    let key = table.primaryKey.map { table.columns[$0].name }
    // The database may generate the key (PostgreSQL's `GENERATED ALWAYS AS IDENTITY`).
    let given = given
    return nested.isEmpty && given.count == key.count
      && key.allSatisfy { name in given.contains { $0.column.hasBytes(of: name) && $0.value != .null } }
  }

  /// Adds a value of the content.
  ///
  /// - Parameter isCopy: Whether the content is one of several records, which may be those of another database.
  /// - Throws: `Problem` (422) for a generated column that the client can't have read.
  mutating func add(
    _ assignment: Assignment, to column: Column, of resource: WrittenResource, isCopy: Bool = false
  ) throws {
    guard column.isGenerated, !(isCopy && column.isIdentity) else { return assignments.append(assignment) }
    // Checking the value would reveal the stored one.
    guard resource.columns.contains(named: column.name) else {
      throw Problem.refusedValue(
        "`\(column.name)` is computed by the database; leave it out", at: pointer + column.name)
    }
    var assignment = assignment
    assignment.isOfModel = column.isComputed
    assignment.isArray = column.isComposed
    computed.append(assignment)
  }

  /// Sets the values of columns that the client can't choose freely.
  ///
  /// - Parameters:
  ///   - source: What the values follow from, for the error message.
  ///   - collations: The collations by which the values are compared with those of the content.
  ///   - isChosen: Whether the client chose the values, through a key in the path.
  /// - Throws: `Problem` (422) if the content contains other values.
  mutating func set(
    _ columns: [String], to values: [SQLValue], from source: String, by collations: [String] = [],
    isChosen: Bool = false
  ) throws {
    try drop(columns, equalTo: values, from: source, by: collations)
    assignments += zip(columns, values).map { Assignment(column: $0, value: $1, isChosen: isChosen) }
  }

  /// Checks that the content has no values for columns that the client can't see, before they are compared with stored
  /// ones: the answer would reveal these.
  ///
  /// - Parameter entry: The access entry by which the client may write the columns anyway.
  /// - Throws: `RequestError` (`forbidden`).
  func checkVisible(_ columns: [String], of resource: WrittenResource, orWritableBy entry: AccessEntry? = nil)
    throws
  {
    for column in columns where value(of: column) != nil && !resource.columns.contains(named: column) {
      if let entry, entry.fields?.contains(column) ?? true { continue }
      throw RequestError.forbidden("\(resource.name).\(column)")
    }
  }

  /// Removes the value that says in which shard a record is, which the database can't change.
  ///
  /// - Throws: `Problem` (501) if it isn't the record's own.
  mutating func keepPlace(of record: StoredRecord, in table: Table) throws {
    guard let column = table.distribution?.column, value(of: column) != nil else { return }
    leaveOut([column], equalTo: record.values(of: [column]))
    guard value(of: column) != nil else { return }
    var problem = Problem(
      RequestError.unsupported(
        "another value for `\(column)`, which says where the record is,",
        "add the record with that value, and then remove this one"))
    problem.pointer = (pointer + column).fragment
    throw problem
  }

  /// Removes the columns whose values are the given ones.
  mutating func leaveOut(_ columns: [String], equalTo values: [SQLValue]) {
    for (column, value) in zip(columns, values) {
      assignments.removeAll { $0.column.hasBytes(of: column) && $0.value.isSameKey(as: value) }
    }
  }

  /// Removes the columns that the server sets.
  ///
  /// - Parameter refusal: Returns the error of a column.
  /// - Throws: The error of a column for which the draft has another value.
  mutating func drop(_ presets: [Assignment], refusal: (_ column: String) -> RequestError) throws {
    for preset in presets {
      guard let index = assignments.firstIndex(where: { $0.column.hasBytes(of: preset.column) }) else {
        continue
      }
      guard assignments[index].value.isSame(as: preset.value) else { throw refusal(preset.column) }
      assignments.remove(at: index)
    }
  }

  /// Removes columns whose values come from elsewhere.
  ///
  /// - Throws: `Problem` (422) if the client chose other values.
  mutating func drop(
    _ columns: [String], equalTo values: [SQLValue], from source: String, by collations: [String] = []
  ) throws {
    for (index, (column, value)) in zip(columns, values).enumerated() {
      guard let position = assignments.firstIndex(where: { $0.column.hasBytes(of: column) }) else { continue }
      let collation = collations.indices.contains(index) ? collations[index] : "BINARY"
      guard assignments[position].value.isSameKey(as: value, by: collation) else {
        throw Problem.refusedValue(
          "`\(column)` contradicts \(source); leave it out", at: pointer + column)
      }
      assignments.remove(at: position)
    }
  }
}

// MARK: - Values that depend on stored ones

extension RecordDraft {
  /// Returns the columns that are compared with the stored ones, or whose new values depend on them.
  func dependentColumns(in table: Table) -> [String] {
    possibleBlobs(in: table) + assignments.filter(\.isPatch).map(\.column) + generatedColumns
  }

  /// Checks that columns have the values that the content has, which may be what a client has read.
  ///
  /// - Parameters:
  ///   - columns: Columns that only the database determines.
  ///   - record: The record as stored, with these columns.
  /// - Throws: `Problem` (422) if the content contains other values.
  func check(_ columns: [String], of record: StoredRecord) throws {
    let assignments = computed.filter { columns.containsExactly($0.column) }
    for (assignment, stored) in zip(assignments, record.values(of: assignments.map(\.column)))
    where !assignment.value.isSame(as: stored)
      && !(assignment.isArray && assignment.value.isArray(ofText: stored))
    {
      throw Problem.refusedValue(
        "`\(assignment.column)` is computed by the database, with another value; leave it out",
        at: pointer + assignment.column)
    }
  }

  /// Returns the columns whose text may be the base64 of a stored BLOB: clients read any BLOB in base64, whatever the
  /// column's type.
  private func possibleBlobs(in table: Table) -> [String] {
    assignments.filter { assignment in
      guard case .text(let text) = assignment.value, !assignment.isComputed, !text.isEmpty,
        text.utf8.count % 4 == 0,
        let column = table.column(named: assignment.column), !column.takesBase64, column.valueFormat != .json,
        !column.isComposed
      else { return false }
      return Base64.decode(text) != nil
    }.map(\.column)
  }

  /// Keeps stored BLOBs as BLOBs if the client sends them back unchanged, in base64.
  mutating func keepBlobs(of record: StoredRecord, in table: Table) {
    let columns = NameSet(possibleBlobs(in: table))
    guard !columns.isEmpty else { return }
    assignments = assignments.map { assignment in
      guard columns.contains(assignment.column),
        let stored = record.values(of: [assignment.column]).first, assignment.value.isBase64(of: stored)
      else { return assignment }
      return Assignment(column: assignment.column, value: stored, isChosen: assignment.isChosen)
    }
  }
}
