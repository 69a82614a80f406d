import KindredBackend
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

/// Writes the associations of records: what is nested in them, and the links between existing ones.
struct AssociatedRecords {
  let writer: RecordWriter

  private var model: Model { writer.model }
  private var rules: WriteRules { writer.rules }

  /// Stores the records that drafts refer to, and returns the drafts with the references.
  func storingReferences(of drafts: [RecordDraft]) throws -> [RecordDraft] {
    var drafts = drafts
    for association in Self.associations(of: drafts) {
      guard case .belongsTo(let step) = association.linkage else { continue }
      var referring: [Int] = []
      var referred: [RecordDraft] = []
      for (index, nested) in Self.nested(association, in: drafts) {
        referring += nested.records.prefix(1).map { _ in index }
        referred += nested.records.prefix(1)
      }
      let stored = try store(
        referred, in: association.resource, by: association.conflict, returning: step.destinationColumns)
      var values: [Int: [SQLValue]] = [:]
      for (index, record) in zip(referring, stored) {
        values[index] = record.values(of: step.destinationColumns)
      }
      for (index, _) in Self.nested(association, in: drafts) {
        try drafts[index].set(
          step.originColumns, to: values[index] ?? step.originColumns.map { _ in .null },
          from: "the record next to it",
          by: model.collations(of: step.destinationColumns, in: step.destination))
      }
    }
    return drafts
  }

  /// The associations that drafts have records of, each once, in the order in which they appear.
  private static func associations(of drafts: [RecordDraft]) -> [RecordDraft.Nested] {
    var associations: [RecordDraft.Nested] = []
    for draft in drafts {
      for nested in draft.nested where !associations.contains(where: { $0.association == nested.association })
      {
        associations.append(nested)
      }
    }
    return associations
  }

  /// The records of an association in drafts, with the number of the draft.
  private static func nested(
    _ association: RecordDraft.Nested, in drafts: [RecordDraft]
  ) -> [(index: Int, nested: RecordDraft.Nested)] {
    drafts.enumerated().flatMap { index, draft in
      draft.nested.filter { $0.association == association.association }.map { (index, $0) }
    }
  }

  /// Stores the records that refer to records, directly or through a join table.
  func storeAssociated(with records: [WrittenRecord], of resource: WrittenResource) throws {
    let drafts = records.map(\.written.draft)
    for association in Self.associations(of: drafts) {
      if case .belongsTo = association.linkage { continue }
      let pairs = Self.nested(association, in: drafts).flatMap { index, nested in
        nested.records.map { (origin: records[index].stored, draft: $0) }
      }
      try writer.forEachGroup(of: pairs.map(\.draft), in: association.resource.table) { writer, numbers in
        try AssociatedRecords(writer: writer).store(
          numbers.map { pairs[$0] }, by: association, of: resource)
      }
    }
  }

  /// Stores a group of records, each below its own record of a resource.
  private func store(
    _ pairs: [(origin: StoredRecord, draft: RecordDraft)], by association: RecordDraft.Nested,
    of resource: WrittenResource
  ) throws {
    let stored: [StoredRecord]
    switch association.linkage {
    case .belongsTo: return
    case .has(let step):
      let drafts = try pairs.map { origin, draft in
        var draft = draft
        try refer(&draft, of: association.resource, to: origin.values(of: step.originColumns), by: step)
        return draft
      }
      stored = try placed(
        drafts, in: association.resource, by: association.conflict, linkedBy: step.destinationColumns)
    case .join(let join):
      stored = try store(
        pairs.map(\.draft), in: association.resource, by: association.conflict,
        returning: join.far.destinationColumns)
      try link(join, zip(pairs, stored).map { Link(near: $0.origin, far: $1, pointer: $0.draft.pointer) })
    }
    guard association.association.isFiltered else { return }
    for (pair, record) in zip(pairs, stored) {
      var literals = Literals()
      let origin = RequestPath(
        resource: resource.name, segments: [pair.origin.segment(in: resource.table, &literals)])
      try writer.check(
        record, of: association.resource, isIn: association.association, of: origin, literals,
        at: pair.draft.pointer)
    }
  }

  /// Adds records, none of which a trigger may ignore.
  private func added(
    _ drafts: [RecordDraft], to resource: WrittenResource, returning columns: [String] = []
  ) throws -> [StoredRecord] {
    try writer.inGroups(drafts) { drafts in
      try zip(drafts, writer.insert(drafts, into: resource, returning: columns)).map { draft, record in
        guard let record else { throw Problem.ignored(at: draft.pointer) }
        return record
      }
    }
  }

  /// Adds records, or finds and changes existing ones by a unique key.
  ///
  /// - Parameter linked: The columns by which they refer to the records that they belong to.
  private func placed(
    _ drafts: [RecordDraft], in resource: WrittenResource, by conflict: NestedConflicts.Conflict?,
    linkedBy linked: [String] = [], returning columns: [String] = []
  ) throws -> [StoredRecord] {
    guard let conflict else { return try added(drafts, to: resource, returning: columns) }
    let placed = try Upsert(
      writer: writer, resource: resource.found(by: conflict.key, in: model), key: conflict.key,
      resolution: conflict.resolution, linked: linked,
      returned: columns
    ).run(drafts)
    return try zip(drafts, placed).map { draft, placed in
      guard let record = placed.record else { throw Problem.ignored(at: draft.pointer) }
      return record
    }
  }

  /// Returns for each draft the existing record if the draft is only its key, else a new one, or one that is found by a
  /// unique key.
  func store(
    _ drafts: [RecordDraft], in resource: WrittenResource, by conflict: NestedConflicts.Conflict?,
    returning columns: [String]
  ) throws -> [StoredRecord] {
    var stored: [StoredRecord] = []
    // Runs of keys and of new records, since a key may be that of a new record before it.
    for neighbours in drafts.runs(by: { isReference($0, to: resource) }) {
      stored += try writer.inGroups(Array(neighbours)) { drafts in
        guard isReference(drafts[0], to: resource) else {
          return try placed(drafts, in: resource, by: conflict, returning: columns)
        }
        let found = try visible(drafts, of: resource, returning: columns)
        return try zip(drafts, found).map { draft, record in
          try record ?? added([draft], to: resource, returning: columns)[0]
        }
      }
    }
    return stored
  }

  /// Whether a draft is only a key, which may be that of an existing record.
  private func isReference(_ draft: RecordDraft, to resource: WrittenResource) -> Bool {
    draft.isKey(of: resource.table) && draft.given.allSatisfy { resource.columns.contains(named: $0.column) }
  }

  /// Returns the visible records whose keys drafts are.
  private func visible(
    _ drafts: [RecordDraft], of resource: WrittenResource, returning columns: [String]
  ) throws -> [StoredRecord?] {
    let searches = drafts.map {
      RecordWriter.Search(columns: $0.given.map(\.column), values: $0.given.map(\.value), returned: columns)
    }
    let areInSight = try rules.areInSight(resource, searches.map { ($0.columns, $0.values) })
    var found = try writer.present(resource, zip(searches, areInSight).filter(\.1).map(\.0))[...]
    return areInSight.map { $0 ? found.removeFirst() : nil }
  }

  /// Two records to be linked.
  struct Link {
    let near: StoredRecord
    let far: StoredRecord
    var pointer = JSONPointer()
  }

  /// Links the records of each pair, unless they are already linked.
  ///
  /// An existing link that the client can't see is treated as any invisible record with the same key.
  func link(_ join: JoinTable, _ links: [Link]) throws {
    try writer.forEachGroup(of: links) { try linkGroup(join, $0) }
  }

  private func linkGroup(_ join: JoinTable, _ links: [Link]) throws {
    let resource = rules.resource(of: join.table)
    let values = try links.map { link in
      guard let values = join.values(of: link.near, link.far) else {
        throw Problem.unlinkable(join, at: link.pointer)
      }
      guard !values.contains(.null) else {
        throw Problem.refusedValue("a record without a key can't be linked", at: link.pointer)
      }
      return values
    }
    try rules.willInsert(
      join.columns.filter { !resource.presetColumns.containsExactly($0) }, into: resource)
    let locators = join.table.locatorColumns
    let search = TableChange.links(of: locators.exact, join.references)
    let present = try writer.run(values.map { (search, $0) }, on: join.table) {
      Problem(refusing: $0, at: links[0].pointer)
    }
    let areVisible = try present.map { rows in
      try rows.contains { try rules.areInSight(ofTable: join.table, [(locators, $0)])[0] }
    }
    var known: Set<[SQLValue]> = []
    let new = links.indices.filter { !areVisible[$0] && known.insert(values[$0]).inserted }
    let changes = try new.map { index in
      var draft = RecordDraft(pointer: links[index].pointer)
      try draft.set(join.columns, to: values[index], from: "the records that it links")
      draft = try writer.presets.adding(to: [draft], of: resource)[0]
      return RecordWriter.Change(
        .insertion(of: draft.columns.exact, returning: locators.exact), draft.assignments.map(\.value),
        locators, UnstoredRecord(draft: draft, resource: resource))
    }
    let rows = try runLinking(changes, to: resource)
    for (index, rows) in zip(new, rows) {
      guard present[index].isEmpty else { throw Problem.takenKey }
      guard !rows.isEmpty else { throw Problem.ignored(at: links[index].pointer) }
    }
    try rules.didInsert(rows.compactMap(\.first).map { StoredRecord(locators, $0) }, into: resource)
  }

  /// Runs the insertions of links.
  private func runLinking(_ changes: [RecordWriter.Change], to resource: WrittenResource) throws
    -> [[[SQLValue]]]
  {
    guard changes.count == 1 || writer.groups == nil else { return try writer.run(changes) }
    return try changes.map { change in
      try writer.run(change) { error in
        if error.constraint == .notNull, model.resources[resource.name] != nil {
          return .incompleteLink(resource.resource, at: change.written.draft.pointer)
        }
        return try RefusalReasons(writer: writer).problem(for: error, storing: change.written, changing: nil)
      }
    }
  }

  /// Removes the link between two records.
  func unlink(_ join: JoinTable, _ near: StoredRecord, _ far: StoredRecord) throws {
    // Otherwise there is no link.
    guard let values = join.values(of: near, far) else { throw Problem.ignored() }
    let locators = join.table.locatorColumns
    let resource = rules.resource(of: join.table)
    let links = try writer.run(.links(of: locators.exact, join.references), values, on: join.table) {
      Problem(refusing: $0)
    }
    let records = links.map { StoredRecord(locators, $0) }
    try rules.willDelete(records, of: resource)
    guard !resource.permissions.keepsDeleted else {
      guard try RecordDeletion(writer: writer, resource: resource).keep(records) > 0 else {
        throw Problem.ignored()
      }
      return
    }
    let removed = try writer.run(.unlinking(join.references), values, on: join.table) {
      Problem(refusing: $0)
    }
    if removed.count < links.count { try rules.didLeaveOut(recordsOf: resource) }
    if removed.isEmpty { throw Problem.ignored() }
  }

  /// Makes a record, before it is written, refer to one with these values.
  func refer(
    _ draft: inout RecordDraft, of resource: WrittenResource, to values: [SQLValue], by step: AssociationStep
  ) throws {
    guard !values.contains(.null) else {
      throw Problem.refusedValue("other records can't refer to a record without a key", at: draft.pointer)
    }
    try draft.checkVisible(
      step.destinationColumns, of: resource, orWritableBy: resource.permissions.create)
    try draft.set(
      step.destinationColumns, to: values, from: "the record that it belongs to",
      by: model.collations(of: step.originColumns, in: step.origin))
  }

  /// Makes a record refer to another one.
  func refer(_ record: StoredRecord, to other: StoredRecord, by step: AssociationStep) throws {
    guard let table = model.tables[step.origin] else { return }
    let resource = rules.resource(of: table)
    try rules.willUpdate([record], resource.unlocked(step.originColumns), of: resource)
    var draft = RecordDraft(pointer: JSONPointer())
    try draft.set(step.originColumns, to: other.values(of: step.destinationColumns), from: "the path")
    draft = try writer.presets.adding(to: [(record, draft)], of: resource)[0]
    // The record refers to the other one already.
    guard !draft.assignments.isEmpty else { return }
    let change = TableChange.update(
      of: draft.columns.exact, resetting: [], by: table.locatorColumns.exact,
      returning: step.originColumns.exact)
    let values = draft.assignments.map(\.value) + record.values(of: table.locatorColumns)
    let written = UnstoredRecord(draft: draft, resource: resource, present: record)
    let stored = RecordWriter.Change(change, values, step.originColumns, written)
    if try writer.run(stored, { Problem(refusing: $0) }).isEmpty {
      try rules.didLeaveOut(recordsOf: resource)
      throw Problem.ignored()
    }
    try rules.didUpdate([record], of: resource)
  }
}
