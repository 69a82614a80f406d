import KindredModel
import KindredPlanning

/// Programs that write HTML: a table for each list of records, and below each row the tables of its included records.
///
///     <table><thead>…</thead><tbody>
///     <tr data-href="/authors/1"><td data-kind="number">1</td>
///     <th scope="row"><a href="/authors/1">Herman Melville</a></th>…</tr>
///     <tr class="below"><td colspan="5"><table aria-label="books of Herman Melville">…</table></td></tr>
///     </tbody></table>
struct HTMLPrograms {
  let plan: Plan
  let layout: HTMLLayout
  var text: [UInt8] = []
  private var programs: [ExecutablePlan.Program?]

  static func make(_ plan: Plan, layout: HTMLLayout) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var writer = HTMLPrograms(plan, layout)
    if !plan.nodes.isEmpty { writer.write(0, at: []) }
    return (writer.programs.map { $0 ?? ExecutablePlan.Program() }, writer.text)
  }

  private init(_ plan: Plan, _ layout: HTMLLayout) {
    self.plan = plan
    self.layout = layout
    programs = Array(repeating: nil, count: plan.nodes.count)
  }

  static let null = "<i>null</i>"

  /// - Parameter path: the members that lead to the node.
  private mutating func write(_ number: Int, at path: [String]) {
    guard programs[number] == nil else { return }
    // Marks the node as visited: a recursive node reaches itself again.
    programs[number] = ExecutablePlan.Program()
    let node = plan.nodes[number]
    var program = HTMLProgram()
    var frame = ExecutablePlan.Frame(missing: text.put(Self.null.utf8))
    switch node.shape {
    case .object(let members):
      let row = HTMLRow(members, layout.records[path], at: path)
      let start = number == 0 ? row.tableStart + row.tableName : ""
      if node.isToMany {
        frame.opening = text.put((start + row.head).utf8)
        frame.closing = text.put(HTMLRow.tableEnd.utf8)
        write(row, node, &program)
      } else {
        program.markup(start + row.head)
        write(row, node, &program)
        program.markup(HTMLRow.tableEnd)
      }
    case let content:
      if node.isToMany {
        frame.opening = text.put((number == 0 ? "<ul>" : "").utf8)
        frame.closing = text.put("</ul>".utf8)
        program.markup("<li>")
      }
      write(value: content, as: .html, &program)
      if node.isToMany { program.markup("</li>\n") }
    }
    program.flush(&text)
    programs[number] = ExecutablePlan.Program(instructions: program.instructions, frame: frame)
  }

  // MARK: Rows

  private mutating func write(_ row: HTMLRow, _ node: Plan.Node, _ program: inout HTMLProgram) {
    program.markup("<tr")
    if let address = row.record?.address, let columns = row.columns(of: address) {
      href(address, columns, "", as: "data-href", &program)
    }
    program.markup(">")
    if row.hasOnlyKey {
      program.markup("<th scope=\"row\">")
      link(to: row.record?.address, of: row, &program) { writer, program in writer.name(of: row, &program) }
      program.markup("</th>")
    }
    for member in row.values { cell(member.name, member.shape, of: row, &program) }
    for association in row.associations { cell(association, of: row, &program) }
    program.markup("</tr>\n")
    for member in row.records { below(member.name, member.shape, of: row, node, &program) }
  }

  /// The cell of a value.
  private mutating func cell(
    _ name: String, _ content: RecordShape, of row: HTMLRow, _ program: inout HTMLProgram
  ) {
    let isHeader = name == row.headerMember
    let element = isHeader ? "th scope=\"row\"" : "td"
    if let reference = row.record?.references[name] {
      program.markup("<\(element) data-kind=\"reference\">")
      self.reference(reference, of: row, &program)
      if reference.label == nil, !isHeader {
        link(to: reference.address, of: row, content, &program)
      } else if isHeader {
        link(to: row.record?.address, of: row, content, &program)
      } else {
        program.markup("<span")
        write(value: content, as: .htmlCell, &program)
        program.markup("</span>")
      }
    } else if isHeader, let record = row.record, record.address != nil {
      program.markup("<\(element)>")
      header(name, content, of: row, &program)
    } else {
      program.markup("<\(element)")
      write(value: content, as: .htmlCell, &program)
    }
    whole(name, of: row, &program)
    program.markup(isHeader ? "</th>" : "</td>")
  }

  /// A link to the whole value where the cell shows only its beginning.
  private mutating func whole(_ name: String, of row: HTMLRow, _ program: inout HTMLProgram) {
    guard let address = row.record?.address, let columns = row.columns(of: address),
      let column = row.record?.columns[name]?.name, column.canBeSegment,
      let value = row.columns[name]
    else { return }
    branch(.long, value, &program) { writer, program in
      program.markup(" <a class=\"whole\" target=\"_blank\"")
      writer.href(address, columns, "/\(URLCoding.encodeSegment(column))", &program)
      program.markup(">all of it</a>")
    }
  }

  /// The link to a row's own record: its label, or its key where the label is NULL or empty.
  private mutating func header(
    _ name: String, _ content: RecordShape, of row: HTMLRow, _ program: inout HTMLProgram
  ) {
    guard name == row.record?.heading, let label = row.record?.label.flatMap({ row.columns[$0] }) else {
      link(to: row.record?.address, of: row, content, &program)
      return
    }
    branch(.optional, label, &program) { writer, program in
      writer.link(to: row.record?.address, of: row, content, &program)
    }
    branch(.absent, label, &program) { writer, program in
      writer.link(to: row.record?.address, of: row, &program) { $0.key(of: row, &$1) }
      program.markup(" <span")
      writer.write(value: content, as: .htmlCell, &program)
      program.markup("</span>")
    }
  }

  /// `<a href="/authors/2">Victor Hugo</a> ` before the foreign key, where it refers to an existing record.
  private mutating func reference(
    _ reference: HTMLLayout.Reference, of row: HTMLRow, _ program: inout HTMLProgram
  ) {
    guard let label = reference.label.flatMap({ row.columns[$0] }) else { return }
    branch(.optional, label, &program) { writer, program in
      writer.link(to: reference.address, of: row, &program) { writer, program in
        writer.append(.html, label, &program)
      }
      program.markup(" ")
    }
  }

  /// The cell of an association: a link, with the number of its records if it was counted.
  private mutating func cell(
    _ association: HTMLLayout.Association, of row: HTMLRow, _ program: inout HTMLProgram
  ) {
    program.markup("<td data-kind=\"association\" data-key=\"\(association.key.escapedForHTML)\">")
    let count = association.count.flatMap { row.columns[$0] }
    if let count, !association.isToMany {
      branch(.optional, count, &program) { $0.link(to: association, nil, of: row, &$1) }
    } else {
      link(to: association, count, of: row, &program)
    }
    program.markup("</td>")
  }

  private mutating func link(
    to association: HTMLLayout.Association, _ count: Int?, of row: HTMLRow, _ program: inout HTMLProgram
  ) {
    let tail = "/\(URLCoding.encodeSegment(association.key))"
    link(to: row.record?.address, of: row, tail: tail, &program) { writer, program in
      program.markup("<span class=\"k\">")
      program.text(association.key)
      program.markup("</span>")
      guard let count else { return }
      program.markup(" ")
      writer.append(.htmlCount, count, &program)
    }
  }

  // MARK: What is below a row

  private mutating func below(
    _ name: String, _ content: RecordShape, of row: HTMLRow, _ node: Plan.Node, _ program: inout HTMLProgram
  ) {
    program.markup("<tr class=\"below\" data-key=\"\(name.escapedForHTML)\"><td colspan=\"\(row.width)\">")
    nested(name, content, of: row, node, &program)
    program.markup("</td></tr>\n")
  }

  private mutating func nested(
    _ name: String, _ content: RecordShape, of row: HTMLRow, _ node: Plan.Node, _ program: inout HTMLProgram
  ) {
    switch content {
    case .optional(let column, let content):
      branch(.optional, column, missing: heading(name) + Self.null, &program) { writer, program in
        writer.nested(name, content, of: row, node, &program)
      }
    case .object(let members):
      let inner = HTMLRow(members, layout.records[row.path + [name]], at: row.path + [name])
      start(inner, name, of: row, &program)
      program.markup(inner.head)
      write(inner, node, &program)
      program.markup(HTMLRow.tableEnd)
    case .child(let child):
      let repeats = child == node.recursion?.repetition
      let path = repeats ? row.path : row.path + [name]
      write(child, at: path)
      switch plan.nodes[child].shape {
      case .object(let members):
        // The last level of a recursion omits the child with its prefix, so everything up to it must be one text.
        start(HTMLRow(members, layout.records[path], at: path), name, of: row, &program)
      default:
        program.markup(heading(name) + (plan.nodes[child].isToMany ? "<ul>" : ""))
      }
      program.append(.child, child, &text)
    case .value:
      break
    }
  }

  private func heading(_ name: String) -> String { "<span class=\"k\">\(name.escapedForHTML)</span> " }

  /// `<table aria-label="books of Victor Hugo">` and its caption, which links to these records alone.
  private mutating func start(
    _ inner: HTMLRow, _ name: String, of row: HTMLRow, _ program: inout HTMLProgram
  ) {
    program.markup("\(inner.tableStart) aria-label=\"\(name.escapedForHTML) of ")
    self.name(of: row, &program)
    program.markup("\"><caption>")
    if row.associations.contains(where: { $0.key == name }) {
      link(to: row.record?.address, of: row, tail: "/\(URLCoding.encodeSegment(name))", &program) {
        $1.text(name)
      }
    } else {
      program.text(name)
    }
    program.markup("</caption>")
  }

  // MARK: Parts

  private mutating func append(
    _ form: ValueForm, _ column: Int, missing: String = "", _ program: inout HTMLProgram
  ) {
    program.append(form, column, missing: missing, &text)
  }

  private mutating func branch(
    _ operation: ExecutablePlan.Operation, _ column: Int, missing: String = "", _ program: inout HTMLProgram,
    _ body: (inout HTMLPrograms, inout HTMLProgram) -> Void
  ) {
    program.append(operation, column, missing: missing, &text)
    let start = program.instructions.count - 1
    body(&self, &program)
    program.flush(&text)
    program.end(start)
  }

  private mutating func write(
    value content: RecordShape, as form: ValueForm, _ program: inout HTMLProgram
  ) {
    switch content {
    case .value(let column, let format):
      let isBoolean = format == .boolean
      let plain: ValueForm = isBoolean ? .htmlBoolean : .html
      append(form == .htmlCell ? (isBoolean ? .htmlBooleanCell : .htmlCell) : plain, column, &program)
    case .optional(let column, let content):
      let missing = form == .htmlCell ? " data-kind=\"null\">\(Self.null)" : Self.null
      branch(.optional, column, missing: missing, &program) { writer, program in
        writer.write(value: content, as: form, &program)
      }
    case .object, .child:
      break
    }
  }

  /// A link whose text is a value.
  private mutating func link(
    to address: HTMLLayout.Address?, of row: HTMLRow, _ content: RecordShape, _ program: inout HTMLProgram
  ) {
    guard let columns = address.flatMap(row.columns(of:)), let address else {
      program.markup("<span")
      write(value: content, as: .htmlCell, &program)
      program.markup("</span>")
      return
    }
    program.markup("<a")
    href(address, columns, "", &program)
    write(value: content, as: .htmlCell, &program)
    program.markup("</a>")
  }

  /// A link to an address, followed by `tail`; without an address, its text alone.
  private mutating func link(
    to address: HTMLLayout.Address?, of row: HTMLRow, tail: String = "", _ program: inout HTMLProgram,
    _ body: (inout HTMLPrograms, inout HTMLProgram) -> Void
  ) {
    guard let columns = address.flatMap(row.columns(of:)), let address else {
      body(&self, &program)
      return
    }
    program.markup("<a")
    href(address, columns, tail, &program)
    program.markup(">")
    body(&self, &program)
    program.markup("</a>")
  }

  /// The attribute that holds an address, written only where no column of the key is NULL.
  private mutating func href(
    _ address: HTMLLayout.Address, _ columns: [Int], _ tail: String, as attribute: String = "href",
    _ program: inout HTMLProgram
  ) {
    func write(_ writer: inout HTMLPrograms, _ program: inout HTMLProgram, _ rest: ArraySlice<Int>) {
      guard let column = rest.first else {
        program.markup(" \(attribute)=\"\(address.path.escapedForHTML)/")
        for (number, column) in columns.enumerated() {
          if number > 0 { program.markup(",") }
          // Clients remove the segments `.` and `..`, and an empty one is ambiguous: such a key is written with its
          // column's name.
          let name = columns.count == 1 ? "\(address.key[number].column.escapedForHTML)=" : ""
          writer.append(columns.count == 1 ? .key : .segment, column, missing: name, &program)
        }
        program.markup("\(tail.escapedForHTML)\"")
        return
      }
      writer.branch(.optional, column, &program) { write(&$0, &$1, rest.dropFirst()) }
    }
    write(&self, &program, columns[...])
  }

  /// The name of a row's record as text: its label, else its key.
  private mutating func name(of row: HTMLRow, _ program: inout HTMLProgram) {
    guard let label = row.record?.label.flatMap({ row.columns[$0] }) else {
      key(of: row, &program)
      return
    }
    branch(.optional, label, &program) { $0.append(.htmlText, label, &$1) }
    branch(.absent, label, &program) { $0.key(of: row, &$1) }
  }

  private mutating func key(of row: HTMLRow, _ program: inout HTMLProgram) {
    guard let columns = row.record?.address.flatMap(row.columns(of:)) else {
      program.text(row.record?.resource ?? "record")
      return
    }
    for (number, column) in columns.enumerated() {
      if number > 0 { program.markup(",") }
      append(.htmlText, column, &program)
    }
  }
}
