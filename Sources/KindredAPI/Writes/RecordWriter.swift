import KindredAssociations
import KindredExecution
import KindredSQLSyntax
import KindredSQLite

/// Writes records and those to be associated with them, on a connection that is in a transaction.
///
/// What a record refers to comes first, then the record, then what refers to it: so each finds its keys there.
struct RecordWriter {
  let model: Model
  let connection: Connection

  /// Adds a record, and all below it.
  ///
  /// - Parameter columns: what is to be known of it beside its key.
  /// - Throws: `Problem`, `DatabaseError`.
  func insert(_ draft: RecordDraft, into resource: Resource, returning columns: [String] = []) throws
    -> StoredRecord
  {
    var draft = draft
    try storeReferences(of: &draft)
    let returned = Self.columns(of: resource.table, for: draft, and: columns)
    let statement = resource.table.insertion(of: draft.assignments.map(\.column), returning: returned)
    let record = try run(statement, draft.assignments.map(\.value), returned, for: draft, in: resource)
    guard let record, record.path(in: resource) != nil else {
      throw Problem.refusedValue("the record needs a key", at: draft.pointer)
    }
    try storeAssociated(with: record, of: resource, draft)
    return record
  }

  /// Changes a record, and adds what is below the draft.
  ///
  /// - Parameter isWhole: whether columns that the draft leaves out take their defaults, but for those to keep.
  func update(
    _ record: StoredRecord, of resource: Resource, to draft: RecordDraft, isWhole: Bool = false,
    keeping kept: [String] = []
  ) throws -> StoredRecord {
    var draft = draft
    try storeReferences(of: &draft)
    let reset =
      !isWhole
      ? []
      : resource.columns.filter {
        !$0.isGenerated && !kept.contains($0.name) && draft.value(of: $0.name) == nil
      }
    var record = record
    if !draft.assignments.isEmpty || !reset.isEmpty {
      let returned = Self.columns(of: resource.table, for: draft, and: [])
      let statement = resource.table.update(
        of: draft.assignments.map(\.column), resetting: reset, returning: returned)
      let values = draft.assignments.map(\.value) + record.values(of: resource.table.pointerColumns)
      record = try run(statement, values, returned, for: draft, in: resource) ?? record
      guard record.path(in: resource) != nil else {
        throw Problem.refusedValue("the record needs a key", at: draft.pointer)
      }
    }
    try storeAssociated(with: record, of: resource, draft)
    return record
  }

  func delete(_ record: StoredRecord, of resource: Resource) throws {
    let pointers = resource.table.pointerColumns
    let values = record.values(of: pointers)
    do {
      _ = try connection.rows(of: resource.table.deletion(by: pointers), Parameters(literals: values))
    } catch let error as DatabaseError {
      throw Problem(refusing: error, changing: resource) ?? error
    }
  }

  /// What ``update(_:of:to:isWhole:keeping:)`` must know of a record before.
  static func columns(of table: Table, for draft: RecordDraft, and columns: [String]) -> [String] {
    var all = table.identifyingColumns
    for nested in draft.nested {
      switch nested.linkage {
      case .has(let step): all += step.originColumns
      case .join(let join): all += join.near.originColumns
      case .belongsTo: break
      }
    }
    all += columns
    var seen: Set<String> = []
    return all.filter { seen.insert($0).inserted }
  }

  private func run(
    _ statement: Plan.Statement, _ values: [SQLValue], _ columns: [String], for draft: RecordDraft,
    in resource: Resource
  ) throws -> StoredRecord? {
    do {
      return try connection.rows(of: statement, Parameters(literals: values)).first
        .map { StoredRecord(columns, $0) }
    } catch let error as DatabaseError {
      throw Problem(refusing: error, changing: resource, at: draft.pointer) ?? error
    }
  }
}

// MARK: - Associated records

extension RecordWriter {
  /// Stores what a record refers to, and has it refer there.
  private func storeReferences(of draft: inout RecordDraft) throws {
    for nested in draft.nested {
      guard case .belongsTo(let step) = nested.linkage else { continue }
      var values = step.originColumns.map { _ in SQLValue.null }
      if let record = nested.records.first {
        values = try store(record, in: nested.resource, returning: step.destinationColumns)
          .values(of: step.destinationColumns)
      }
      try draft.set(step.originColumns, to: values, from: "the record beside it")
    }
  }

  /// Stores what refers to a record, directly or by a join table.
  private func storeAssociated(with record: StoredRecord, of resource: Resource, _ draft: RecordDraft) throws
  {
    for nested in draft.nested {
      for var below in nested.records {
        let stored: StoredRecord
        switch nested.linkage {
        case .belongsTo: continue
        case .has(let step):
          try below.refer(to: record.values(of: step.originColumns), by: step)
          stored = try insert(below, into: nested.resource)
        case .join(let join):
          stored = try store(below, in: nested.resource, returning: join.far.destinationColumns)
          try link(join, record, stored, at: below.pointer)
        }
        guard nested.association.isFiltered else { continue }
        var literals = Literals()
        let origin = RequestPath(
          resource: resource.name, segments: [record.segment(in: resource.table, &literals)])
        try check(
          stored, of: nested.resource, isIn: nested.association, of: origin, literals, at: below.pointer)
      }
    }
  }

  /// The record that is there already where the draft is nothing but its key; else a new one.
  private func store(_ draft: RecordDraft, in resource: Resource, returning columns: [String]) throws
    -> StoredRecord
  {
    if draft.isKey(of: resource.table) {
      let statement = resource.table.selection(of: columns, by: draft.assignments.map(\.column))
      let values = Parameters(literals: draft.assignments.map(\.value))
      if let row = try connection.rows(of: statement, values).first { return StoredRecord(columns, row) }
    }
    return try insert(draft, into: resource, returning: columns)
  }

  /// Links two records, unless they are linked.
  func link(
    _ join: JoinTable, _ near: StoredRecord, _ far: StoredRecord, at pointer: JSONPointer = JSONPointer()
  ) throws {
    let values = near.values(of: join.near.originColumns) + far.values(of: join.far.destinationColumns)
    guard !values.contains(.null) else {
      throw Problem.refusedValue("a record without a key can't be linked", at: pointer)
    }
    let parameters = Parameters(literals: values)
    do {
      let present = join.table.selection(of: [join.columns[0]], by: join.columns)
      guard try connection.rows(of: present, parameters).isEmpty else { return }
      let linking = join.table.insertion(of: join.columns, returning: [join.columns[0]])
      _ = try connection.rows(of: linking, parameters)
    } catch let error as DatabaseError {
      throw Problem(refusing: error, at: pointer) ?? error
    }
  }

  /// Takes the link between two records away, if there is one.
  func unlink(_ join: JoinTable, _ near: StoredRecord, _ far: StoredRecord) throws {
    let values = near.values(of: join.near.originColumns) + far.values(of: join.far.destinationColumns)
    do {
      _ = try connection.rows(of: join.table.deletion(by: join.columns), Parameters(literals: values))
    } catch let error as DatabaseError {
      throw Problem(refusing: error) ?? error
    }
  }
}

extension RecordWriter {
  /// Sees to it that a record is where it was written, for an association may lead to some records only.
  ///
  /// - Parameters:
  ///   - origin: the path of the record that has the association.
  ///   - literals: those of the path.
  func check(
    _ record: StoredRecord, of resource: Resource, isIn association: Association, of origin: RequestPath,
    _ literals: Literals, at pointer: JSONPointer
  ) throws {
    var literals = literals
    var path = origin
    path.segments.append(.association(association))
    if association.cardinality == .toMany {
      path.segments.append(record.segment(in: resource.table, &literals))
    }
    let lookup = try Planner(model: model).lookup(path, columns: resource.table.pointerColumns)
    do {
      _ = try connection.record(lookup, Parameters(literals: literals.values))
    } catch let error as RequestError where error.code == .notFound {
      throw Problem.refusedValue(
        "the record would not be found in `\(association.key)`, which has a condition", at: pointer)
    }
  }
}

extension RecordDraft {
  /// Has the record refer to one with these values.
  mutating func refer(to values: [SQLValue], by step: AssociationStep) throws {
    guard !values.contains(.null) else {
      throw Problem.refusedValue("nothing can refer to a record without a key", at: pointer)
    }
    try set(step.destinationColumns, to: values, from: "the record that it belongs to")
  }
}
