import KindredModel
import KindredPlanning
import KindredRequests

/// Adds the records of a POST.
struct NewRecords {
  private let execution: WriteExecution
  private let origin: StoredRecord
  private let writer: RecordWriter

  init(_ execution: WriteExecution) throws {
    self.execution = execution
    origin = try execution.findOrigin()
    writer = execution.writer
  }

  /// Adds records, or changes existing ones if the client prefers; returns whether each is new.
  func add(_ drafts: [RecordDraft]) throws -> [(record: StoredRecord?, isNew: Bool)] {
    var results = drafts.map { _ in (record: StoredRecord?.none, isNew: false) }
    try writer.forEachGroup(of: drafts, in: execution.resource.table) { writer, numbers in
      for (number, result) in zip(numbers, try addGroup(numbers.map { drafts[$0] }, by: writer)) {
        results[number] = result
      }
    }
    return results
  }

  private func addGroup(
    _ drafts: [RecordDraft], by writer: RecordWriter
  ) throws -> [(record: StoredRecord?, isNew: Bool)] {
    var drafts = drafts
    var columns: [String] = []
    let linkage = execution.target.linkage
    switch linkage {
    case .has(let step):
      let values = origin.values(of: step.originColumns)
      for index in drafts.indices {
        try writer.associated.refer(&drafts[index], of: execution.resource, to: values, by: step)
      }
    case .join(let join): columns = join.far.destinationColumns
    case .belongsTo, nil: break
    }
    let results = try store(drafts, returning: columns, by: writer)
    let stored = zip(drafts, results).compactMap { draft, result in
      result.record.map { (record: $0, pointer: draft.pointer) }
    }
    if case .join(let join) = linkage {
      try writer.associated.link(
        join, stored.map { .init(near: origin, far: $0.record, pointer: $0.pointer) })
    }
    for one in stored { try execution.checkAssociated(one.record, at: one.pointer) }
    return results.map { ($0.record, $0.isNew && $0.record != nil) }
  }

  private func store(
    _ drafts: [RecordDraft], returning columns: [String], by writer: RecordWriter
  ) throws -> [(record: StoredRecord?, isNew: Bool)] {
    let resource = execution.resource
    guard let resolution = execution.plan.preferences.resolution else {
      return try writer.insert(drafts, into: resource, returning: columns).map { ($0, true) }
    }
    let key = execution.plan.conflictColumns
    return try Upsert(
      writer: writer, resource: resource.found(by: key, in: writer.model), key: key, resolution: resolution,
      computed: execution.plan.computed, returned: columns
    ).run(drafts)
  }
}
