import KindredHTTP
import KindredModel
import KindredPlanning
import KindredRequests

/// Resolves the columns and associations that a client names in records to be written.
struct RecordDraftReader {
  let version: ModelVersion
  /// The document of the records that are being read.
  private var document = JSONDocument.empty
  let limits: RequestLimits
  /// Whether JSON objects change what a JSON column contains (RFC 7396) instead of replacing it.
  let isMergePatch: Bool
  let conflicts: NestedConflicts
  /// Whether the content is one of several records, which may be those of another database: what the database numbers is
  /// kept.
  var isCopy = false
  /// Whether it is an import, which leaves out what the model computes.
  var isImport = false
  /// The paths of the associations encountered so far.
  private(set) var paths: [[String]] = []
  /// What the records below each of these paths have in common.
  private var branches: [[String]: Branch] = [:]
  /// Throws if reading must stop.
  private let check: () throws -> Void
  /// The number of records that have been read.
  private var count = 0
  /// About the bytes of memory that the records take.
  private(set) var memory = 0

  /// How many records are read between two checks whether reading must stop.
  private static let interval = 256
  /// The largest memory of the records of one content.
  static let maximumMemory = 40 << 20
  /// About the bytes that a record takes, and each of its members.
  private static let recordMemory = 384, memberMemory = 160

  /// An association whose records are written.
  private struct Branch {
    let linkage: Linkage
    let resource: WrittenResource
  }

  private var model: Model { version.model }

  /// - Parameter check: Throws if reading must stop.
  init(
    version: ModelVersion, limits: RequestLimits, isMergePatch: Bool = false, conflicts: NestedConflicts,
    check: @escaping () throws -> Void
  ) {
    self.conflicts = conflicts
    self.version = version
    self.limits = limits
    self.isMergePatch = isMergePatch
    self.check = check
  }

  /// - Throws: `RequestError` if the records of a content take too much memory.
  static func check(memory: Int) throws {
    guard memory <= maximumMemory else {
      throw RequestError(
        .limitExceeded,
        "the records of the content take too much memory; send fewer in one request, or one in each line as application/x-ndjson"
      )
    }
  }

  /// Reads the record that a document is.
  ///
  /// - Throws: `Problem` (422) for invalid content; `RequestError` if something is forbidden or too large.
  mutating func record(
    in document: JSONDocument, of resource: WrittenResource, at pointer: JSONPointer = JSONPointer()
  ) throws -> RecordDraft {
    self.document = document
    return try record(document.root, of: resource, at: pointer)
  }

  private mutating func record(
    _ node: JSONDocument.Node, of resource: WrittenResource, at record: JSONPointer = JSONPointer(),
    path: [String] = []
  ) throws -> RecordDraft {
    guard case .object(let members) = node.content else {
      throw Problem.refusedValue("a record must be an object; write `{\"column\": value}`", at: record)
    }
    count += 1
    if count.isMultiple(of: Self.interval) { try check() }
    memory += Self.recordMemory + members.count * Self.memberMemory
    try Self.check(memory: memory)
    var draft = RecordDraft(pointer: record)
    draft.assignments.reserveCapacity(members.count)
    for member in members {
      let association = model.writableAssociation(member.name, of: resource.resource)
      // An object is the record to which a column of the same name refers, any other value the column.
      let isRecord =
        if case .object = member.value.content { association?.replacedColumn != nil } else { false }
      if !isRecord, let index = resource.writableColumns.firstIndex(named: member.name) {
        let column = resource.writableColumns[index]
        if isImport, column.isComputed { continue }
        do {
          let value = try column.value(of: member.value, in: document)
          var assignment = RecordDraft.Assignment(column: column.name, value: value)
          if isMergePatch, column.valueFormat == .json, column.document == nil,
            case .object = member.value.content
          {
            assignment.isPatch = true
          }
          try draft.add(assignment, to: column, of: resource, isCopy: isCopy && path.isEmpty)
        } catch let error as Column.Refusal {
          throw Problem.refusedValue(error.message, at: record + member.name)
        }
      } else if let association, isRecord || association.replacedColumn == nil {
        draft.nested.append(
          try nested(member.value, association, at: record + member.name, path: path + [member.name]))
      } else if model.isDenied(member.name, of: resource.resource) {
        throw RequestError.forbidden(member.name)
      } else {
        throw Problem.unknownMember(member.name, of: resource.resource, in: record)
      }
    }
    return draft
  }

  private mutating func nested(
    _ node: JSONDocument.Node, _ association: Association, at pointer: JSONPointer, path: [String]
  ) throws -> RecordDraft.Nested {
    let branch = try branch(association, at: pointer, path: path)
    let resource = branch.resource
    var records: [RecordDraft] = []
    switch (node.content, association.cardinality) {
    case (.null, .toOne):
      guard case .belongsTo = branch.linkage else {
        throw Problem.refusedValue(
          "`\(association.key)` refers to this record with a column that can't be NULL; change or delete it at its own path",
          at: pointer)
      }
    case (_, .toOne): records = [try record(node, of: resource, at: pointer, path: path)]
    case (.array(let elements), .toMany):
      for (index, element) in elements.enumerated() {
        records.append(try record(element, of: resource, at: pointer + index, path: path))
      }
    case (_, .toMany):
      throw Problem.refusedValue("`\(association.key)` is a to-many association; write an array", at: pointer)
    }
    if let obstacle = resource.table.obstacle(to: .insert),
      records.contains(where: { !$0.isKey(of: resource.table) })
    {
      throw Problem.refusedValue("`\(association.key)` can't be written: \(obstacle.reason)", at: pointer)
    }
    return RecordDraft.Nested(
      association: association, resource: resource, linkage: branch.linkage, conflict: conflicts[path],
      records: records, pointer: pointer)
  }

  /// Returns what the records of an association have in common, which is found once for all of them.
  private mutating func branch(
    _ association: Association, at pointer: JSONPointer, path: [String]
  ) throws -> Branch {
    if let known = branches[path] { return known }
    guard let linkage = association.linkage(in: model),
      let resource =
        (model.resources[association.destination] ?? model.addableResource(association.destination))
        .map(version.written),
      resource.table.possibleChanges.contains(.insert)
    else {
      throw Problem.refusedValue(
        "`\(association.key)` can't be written, since it doesn't correspond to single records", at: pointer)
    }
    paths.append(path)
    guard path.count <= limits.treeDepth, paths.count <= limits.nodes else {
      throw RequestError(
        .limitExceeded,
        "the tree is deeper than \(limits.treeDepth) levels or has more than \(limits.nodes) nodes; split it into several requests"
      )
    }
    let branch = Branch(linkage: linkage, resource: resource)
    branches[path] = branch
    return branch
  }
}

extension WriteContent {
  /// The records of a document, and the paths of the associations nested in them that the client may read.
  struct Records: Sendable {
    var drafts: [RecordDraft] = []
    var isArray = false
    var paths: [[String]] = []
    /// About the bytes of memory that they take.
    var memory = 0
  }

  /// Which forms the content of a write may have.
  enum Shape {
    case object, array, objectOrArray
  }

  /// Returns the records in the content of a request whose form has been checked.
  ///
  /// - Parameter check: Throws if reading must stop.
  /// - Throws: `Problem`, `RequestError`.
  static func records(
    in request: HTTPRequest, isMergePatch: Bool, _ shape: Shape, of resource: WrittenResource,
    version: ModelVersion, limits: RequestLimits, conflicts: NestedConflicts,
    check: @escaping () throws -> Void
  ) throws -> Records {
    var reader = RecordDraftReader(
      version: version, limits: limits, isMergePatch: isMergePatch, conflicts: conflicts, check: check)
    var records = Records()
    if shape != .object {
      reader.isCopy = shape == .objectOrArray
      records.isArray = try forEachElement(of: request) { element, index in
        records.drafts.append(try reader.record(in: element, of: resource, at: JSONPointer() + index))
      }
    }
    if !records.isArray {
      let document = try document(of: request)
      guard shape != .array else {
        throw Problem.refusedValue(
          "the content is all records to be linked; write an array of objects", at: JSONPointer())
      }
      reader.isCopy = false
      records.drafts = [try reader.record(in: document, of: resource)]
    }
    records.paths = reader.paths.filter { version.model.isReadable($0, from: resource.resource) }
    records.memory = reader.memory
    return records
  }
}
