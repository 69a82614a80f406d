import KindredAssociations
import KindredSQLSyntax
import OrderedCollections

/// A record as a client wants it written, and those to be associated with it.
struct RecordDraft {
  struct Assignment {
    let column: String
    let value: SQLValue
  }

  /// Records to be associated with the one above.
  struct Nested {
    let association: Association
    let resource: Resource
    let linkage: Linkage
    /// None where the client says that there is none.
    let records: [RecordDraft]
    let pointer: JSONPointer
  }

  var assignments: [Assignment] = []
  var nested: [Nested] = []
  /// Where the client wrote it.
  let pointer: JSONPointer

  var isEmpty: Bool { assignments.isEmpty && nested.isEmpty }

  func value(of column: String) -> SQLValue? { assignments.first { $0.column == column }?.value }

  /// Whether it says nothing but the key of a record.
  func isKey(of table: Table) -> Bool {
    let key = table.primaryKey.map { table.columns[$0].name }
    return nested.isEmpty && assignments.count == key.count
      && key.allSatisfy { value(of: $0).map { $0 != .null } ?? false }
  }

  /// Gives columns values that the client has no choice in.
  ///
  /// - Parameter source: what they follow from.
  /// - Throws: `Problem` (422) where the client chose others.
  mutating func set(_ columns: [String], to values: [SQLValue], from source: String) throws {
    try drop(columns, equalTo: values, from: source)
    assignments += zip(columns, values).map(Assignment.init)
  }

  /// Leaves out columns that have their values already.
  ///
  /// - Throws: `Problem` (422) where the client chose others.
  mutating func drop(_ columns: [String], equalTo values: [SQLValue], from source: String) throws {
    for (column, value) in zip(columns, values) {
      guard let position = assignments.firstIndex(where: { $0.column == column }) else { continue }
      guard assignments[position].value.isSameKey(as: value) else {
        throw Problem.refusedValue(
          "`\(column)` says otherwise than \(source): leave it out", at: pointer + column)
      }
      assignments.remove(at: position)
    }
  }
}

/// Looks up what a client names in records to be written.
struct RecordDraftReader {
  let model: Model
  let document: JSONDocument
  let limits: RequestLimits
  /// The keys that lead to the associations met so far.
  private(set) var paths: [[String]] = []

  init(model: Model, document: JSONDocument, limits: RequestLimits) {
    self.model = model
    self.document = document
    self.limits = limits
  }

  /// - Throws: `Problem` (422).
  mutating func record(
    _ node: JSONDocument.Node, of resource: Resource, at pointer: JSONPointer = JSONPointer(),
    path: [String] = []
  ) throws -> RecordDraft {
    guard case .object(let members) = node.content else {
      throw Problem.refusedValue("a record is an object: write `{\"column\": value}`", at: pointer)
    }
    var draft = RecordDraft(pointer: pointer)
    for member in members {
      let pointer = pointer + member.name
      if let column = resource.columns.first(where: { $0.name == member.name }) {
        guard !column.isGenerated else {
          throw Problem.refusedValue(
            "`\(column.name)` is computed from other columns: leave it out", at: pointer)
        }
        do {
          let value = try column.value(of: member.value, in: document)
          draft.assignments.append(RecordDraft.Assignment(column: column.name, value: value))
        } catch {
          throw Problem.refusedValue(error.message, at: pointer)
        }
      } else if let association = resource.associations[member.name] {
        draft.nested.append(try nested(member.value, association, at: pointer, path: path + [member.name]))
      } else {
        throw Problem.unknownMember(member.name, of: resource, at: pointer)
      }
    }
    return draft
  }

  private mutating func nested(
    _ node: JSONDocument.Node, _ association: Association, at pointer: JSONPointer, path: [String]
  ) throws -> RecordDraft.Nested {
    guard let linkage = association.linkage(in: model),
      let resource = model.resources[association.destination],
      resource.table.isWritable
    else {
      throw Problem.refusedValue(
        "`\(association.key)` can't be written here, for no single record makes the association", at: pointer)
    }
    if !paths.contains(path) {
      paths.append(path)
      guard path.count <= limits.treeDepth, paths.count <= limits.nodes else {
        throw RequestError(
          .limitExceeded,
          "the tree is deeper than \(limits.treeDepth) levels or has more than \(limits.nodes) nodes: write less at once"
        )
      }
    }
    var records: [RecordDraft] = []
    switch (node.content, association.cardinality) {
    case (.null, .toOne): break
    case (_, .toOne): records = [try record(node, of: resource, at: pointer, path: path)]
    case (.array(let elements), .toMany):
      for (index, element) in elements.enumerated() {
        records.append(try record(element, of: resource, at: pointer + index, path: path))
      }
    case (_, .toMany):
      throw Problem.refusedValue("`\(association.key)` are many records: write an array", at: pointer)
    }
    return RecordDraft.Nested(
      association: association, resource: resource, linkage: linkage, records: records, pointer: pointer)
  }
}
