import KindredAssociations

/// Programs that write HTML: tables of records, lists of the members of one, and links along the associations.
struct HTMLPrograms {
  private enum Container {
    /// A record that is a row of a table.
    case row
    /// A record that is a list of names and values.
    case list
    case optional(instruction: Int)
  }

  private let plan: Plan
  private let links: HTMLLinks
  private var text: [UInt8] = []
  private var programs: [ExecutablePlan.Program?]

  static func make(_ plan: Plan, links: HTMLLinks) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var writer = HTMLPrograms(plan, links)
    if !plan.nodes.isEmpty { writer.write(0, at: []) }
    return (writer.programs.map { $0 ?? ExecutablePlan.Program() }, writer.text)
  }

  private init(_ plan: Plan, _ links: HTMLLinks) {
    self.plan = plan
    self.links = links
    programs = Array(repeating: nil, count: plan.nodes.count)
  }

  /// - Parameter path: the members that lead to the node.
  private mutating func write(_ number: Int, at path: [String]) {
    guard programs[number] == nil else { return }
    // A node that repeats comes back here.
    programs[number] = ExecutablePlan.Program()
    let node = plan.nodes[number]
    let elements = RecordTemplate(node.program).elements
    var isObject = false
    if case .beginObject? = elements.first { isObject = true }

    var body = HTMLProgram()
    var containers: [Container] = []
    var records: [(path: [String], columns: [String: Int])] = []
    var member = ""
    if node.isToMany, !isObject { body.pending = "<li>" }
    for element in elements {
      switch element {
      case .beginObject:
        let isRow = containers.isEmpty && node.isToMany
        containers.append(isRow ? .row : .list)
        records.append((records.last.map { $0.path + [member] } ?? path, [:]))
        body.pending += isRow ? "<tr>" : "<dl>"
      case .member(let name):
        member = name
        if case .row? = containers.last {
          body.pending += "<td>"
        } else {
          body.pending += "<dt>\(name.escapedForHTML)</dt><dd>"
        }
      case .value(let column, let format):
        if let record = records.indices.last { records[record].columns[member] = column }
        body.append(format == .boolean ? .htmlBoolean : .htmlValue, column, &text)
        body.pending += Self.end(of: containers.last)
      case .beginOptional(let column):
        body.append(.optional, column, &text)
        containers.append(.optional(instruction: body.instructions.count - 1))
      case .endOptional:
        guard case .optional(let instruction)? = containers.popLast() else { continue }
        body.flush(&text)
        body.instructions[instruction].end = Int32(body.instructions.count)
        body.instructions[instruction].missing = text.put(Self.null.utf8)
        body.pending += Self.end(of: containers.last)
      case .child(let child):
        let repeats = child == node.recursion?.repetition
        write(child, at: repeats ? path : (records.last?.path ?? path) + [member])
        body.append(.child, child, &text)
        // The last level leaves the member out: its end, which HTML doesn't need, must not be left over.
        if !repeats { body.pending += Self.end(of: containers.last) }
      case .endObject:
        let container = containers.popLast()
        if let record = records.popLast() { write(record, in: container, &body) }
        if case .row? = container { body.pending += "</tr>\n" } else { body.pending += "</dl>" }
        body.pending += Self.end(of: containers.last)
      }
    }
    if node.isToMany, !isObject { body.pending += "</li>" }
    body.flush(&text)
    programs[number] = ExecutablePlan.Program(
      instructions: body.instructions, frame: frame(of: node, elements, isObject: isObject, at: path))
  }

  /// Links to a record and along its associations, where its key is shown.
  private func addresses(
    _ path: [String], _ columns: some Collection<String>
  ) -> HTMLLinks.Record? {
    guard let record = links.records[path], record.key.allSatisfy(columns.contains) else { return nil }
    return record
  }

  private mutating func write(
    _ record: (path: [String], columns: [String: Int]), in container: Container?, _ body: inout HTMLProgram
  ) {
    guard let links = addresses(record.path, record.columns.keys) else { return }
    if case .row? = container { body.pending += "<td>" } else { body.pending += "<dt></dt><dd>" }
    for association in [nil] + links.associations.map(Optional.some) {
      body.pending += "<a href=\"\(links.path.escapedForHTML)/"
      for (number, name) in links.key.enumerated() {
        guard let column = record.columns[name] else { continue }
        if number > 0 { body.pending += "," }
        body.append(.segment, column, &text)
      }
      let key = association.map { "/\($0.encodedAsSegment)" } ?? ""
      body.pending += "\(key)\">\(association?.escapedForHTML ?? "record")</a> "
    }
    body.pending += Self.end(of: container)
  }

  private mutating func frame(
    of node: Plan.Node, _ elements: [RecordTemplate.Element], isObject: Bool, at path: [String]
  ) -> ExecutablePlan.Frame {
    var frame = ExecutablePlan.Frame(missing: text.put(Self.null.utf8))
    guard node.isToMany else { return frame }
    guard isObject else {
      frame.opening = text.put("<ul>".utf8)
      frame.closing = text.put("</ul>".utf8)
      return frame
    }
    let (names, values) = Self.members(of: elements)
    var head = names.map { "<th>\($0.escapedForHTML)</th>" }.joined()
    if addresses(path, values) != nil { head += "<th></th>" }
    frame.opening = text.put("<table><thead><tr>\(head)</tr></thead><tbody>\n".utf8)
    frame.closing = text.put("</tbody></table>\n".utf8)
    return frame
  }

  /// The members of the record itself, and those of them that are values.
  private static func members(of elements: [RecordTemplate.Element]) -> (names: [String], values: [String]) {
    var names: [String] = []
    var values: [String] = []
    var depth = 0
    for element in elements {
      switch element {
      case .beginObject: depth += 1
      case .endObject: depth -= 1
      case .member(let name): if depth == 1 { names.append(name) }
      case .value: if depth == 1, let name = names.last { values.append(name) }
      case .beginOptional, .endOptional, .child: break
      }
    }
    return (names, values)
  }

  private static let null = "<i>null</i>"

  /// What ends a member of a record; inside of an optional one, that ends later.
  private static func end(of container: Container?) -> String {
    switch container {
    case .row: "</td>"
    case .list: "</dd>"
    case .optional, nil: ""
    }
  }
}

/// Instructions in the making, and the text that goes before the next of them.
private struct HTMLProgram {
  var instructions: [ExecutablePlan.Instruction] = []
  var pending = ""

  mutating func append(_ operation: ExecutablePlan.Operation, _ operand: Int, _ text: inout [UInt8]) {
    instructions.append(
      ExecutablePlan.Instruction(
        operation: operation, operand: Int32(operand), prefix: text.put(pending.utf8)))
    pending = ""
  }

  mutating func flush(_ text: inout [UInt8]) {
    if !pending.isEmpty { append(.text, 0, &text) }
  }
}
