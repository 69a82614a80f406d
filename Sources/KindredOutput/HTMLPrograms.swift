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
  private var builder = ProgramBuilder()
  private var programs: [ExecutablePlan.Program?]

  static func make(_ plan: Plan, layout: HTMLLayout) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var writer = HTMLPrograms(plan, layout)
    if !plan.nodes.isEmpty { writer.write(0, at: []) }
    return (writer.programs.map { $0 ?? ExecutablePlan.Program() }, writer.builder.text)
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
    // The program of the row above goes on afterwards.
    let outer = (builder.instructions, builder.pending)
    defer { (builder.instructions, builder.pending) = outer }
    (builder.instructions, builder.pending) = ([], [])
    var frame = ExecutablePlan.Frame(missing: builder.put(Self.null))
    switch node.shape {
    case .object(let members):
      let row = HTMLRow(members, layout.records[path], at: path)
      let start = number == 0 ? row.tableStart + row.tableName : ""
      if node.isToMany {
        frame.opening = builder.put(start + row.head)
        frame.closing = builder.put(HTMLRow.tableEnd)
        write(row, node)
      } else {
        markup(start + row.head)
        write(row, node)
        markup(HTMLRow.tableEnd)
      }
    case let content:
      if node.isToMany {
        frame.opening = builder.put(number == 0 ? "<ul>" : "")
        frame.closing = builder.put("</ul>")
        markup("<li>")
      }
      write(value: content, as: .html)
      if node.isToMany { markup("</li>\n") }
    }
    programs[number] = builder.finish(frame)
  }

  // MARK: Rows

  private mutating func write(_ row: HTMLRow, _ node: Plan.Node) {
    markup("<tr")
    if let address = row.record?.address, let columns = row.columns(of: address) {
      href(address, columns, "", as: "data-href")
    }
    markup(">")
    if row.hasOnlyKey {
      markup("<th scope=\"row\">")
      link(to: row.record?.address, of: row) { $0.name(of: row) }
      markup("</th>")
    }
    for member in row.values { cell(member.name, member.shape, of: row) }
    for association in row.associations { cell(association, of: row) }
    markup("</tr>\n")
    for member in row.records { below(member.name, member.shape, of: row, node) }
  }

  /// The cell of a value.
  private mutating func cell(_ name: String, _ content: RecordShape, of row: HTMLRow) {
    let isHeader = name == row.headerMember
    let element = isHeader ? "th scope=\"row\"" : "td"
    if let reference = row.record?.references[name] {
      markup("<\(element) data-kind=\"reference\">")
      self.reference(reference, of: row)
      if reference.label == nil, !isHeader {
        link(to: reference.address, of: row, content)
      } else if isHeader {
        link(to: row.record?.address, of: row, content)
      } else {
        markup("<span")
        write(value: content, as: .htmlCell)
        markup("</span>")
      }
    } else if isHeader, let record = row.record, record.address != nil {
      markup("<\(element)>")
      header(name, content, of: row)
    } else {
      markup("<\(element)")
      write(value: content, as: .htmlCell)
    }
    whole(name, of: row)
    markup(isHeader ? "</th>" : "</td>")
  }

  /// A link to the whole value where the cell shows only its beginning.
  private mutating func whole(_ name: String, of row: HTMLRow) {
    guard let address = row.record?.address, let columns = row.columns(of: address),
      let column = row.record?.columns[name]?.name, column.canBeSegment,
      let value = row.columns[name]
    else { return }
    branch(.long, value) { writer in
      writer.markup(" <a class=\"whole\" target=\"_blank\"")
      writer.href(address, columns, "/\(URLCoding.encodeSegment(column))")
      writer.markup(">all of it</a>")
    }
  }

  /// The link to a row's own record: its label, or its key where the label is NULL or empty.
  private mutating func header(_ name: String, _ content: RecordShape, of row: HTMLRow) {
    guard name == row.record?.heading, let label = row.record?.label.flatMap({ row.columns[$0] }) else {
      link(to: row.record?.address, of: row, content)
      return
    }
    branch(.optional, label) { writer in
      writer.link(to: row.record?.address, of: row, content)
    }
    branch(.absent, label) { writer in
      writer.link(to: row.record?.address, of: row) { $0.key(of: row) }
      writer.markup(" <span")
      writer.write(value: content, as: .htmlCell)
      writer.markup("</span>")
    }
  }

  /// `<a href="/authors/2">Victor Hugo</a> ` before the foreign key, where it refers to an existing record.
  private mutating func reference(_ reference: HTMLLayout.Reference, of row: HTMLRow) {
    guard let label = reference.label.flatMap({ row.columns[$0] }) else { return }
    branch(.optional, label) { writer in
      writer.link(to: reference.address, of: row) { writer in
        writer.builder.append(.html, label)
      }
      writer.markup(" ")
    }
  }

  /// The cell of an association: a link, with the number of its records if it was counted.
  private mutating func cell(_ association: HTMLLayout.Association, of row: HTMLRow) {
    markup("<td data-kind=\"association\" data-key=\"\(association.key.escapedForHTML)\">")
    let count = association.count.flatMap { row.columns[$0] }
    if let count, !association.isToMany {
      branch(.optional, count) { $0.link(to: association, nil, of: row) }
    } else {
      link(to: association, count, of: row)
    }
    markup("</td>")
  }

  private mutating func link(to association: HTMLLayout.Association, _ count: Int?, of row: HTMLRow) {
    let tail = "/\(URLCoding.encodeSegment(association.key))"
    link(to: row.record?.address, of: row, tail: tail) { writer in
      writer.markup("<span class=\"k\">")
      writer.text(association.key)
      writer.markup("</span>")
      guard let count else { return }
      writer.markup(" ")
      writer.builder.append(.htmlCount, count)
    }
  }

  // MARK: What is below a row

  private mutating func below(_ name: String, _ content: RecordShape, of row: HTMLRow, _ node: Plan.Node) {
    markup("<tr class=\"below\" data-key=\"\(name.escapedForHTML)\"><td colspan=\"\(row.width)\">")
    nested(name, content, of: row, node)
    markup("</td></tr>\n")
  }

  private mutating func nested(_ name: String, _ content: RecordShape, of row: HTMLRow, _ node: Plan.Node) {
    switch content {
    case .optional(let column, let content):
      branch(.optional, column, missing: heading(name) + Self.null) { writer in
        writer.nested(name, content, of: row, node)
      }
    case .object(let members):
      let inner = HTMLRow(members, layout.records[row.path + [name]], at: row.path + [name])
      start(inner, name, of: row)
      markup(inner.head)
      write(inner, node)
      markup(HTMLRow.tableEnd)
    case .child(let child):
      let repeats = child == node.recursion?.repetition
      let path = repeats ? row.path : row.path + [name]
      write(child, at: path)
      switch plan.nodes[child].shape {
      case .object(let members):
        // The last level of a recursion omits the child with its prefix, so everything up to it must be one text.
        start(HTMLRow(members, layout.records[path], at: path), name, of: row)
      default:
        markup(heading(name) + (plan.nodes[child].isToMany ? "<ul>" : ""))
      }
      builder.end(builder.begin(.child, child))
    case .value:
      break
    }
  }

  private func heading(_ name: String) -> String { "<span class=\"k\">\(name.escapedForHTML)</span> " }

  /// `<table aria-label="books of Victor Hugo">` and its caption, which links to these records alone.
  private mutating func start(_ inner: HTMLRow, _ name: String, of row: HTMLRow) {
    markup("\(inner.tableStart) aria-label=\"\(name.escapedForHTML) of ")
    self.name(of: row)
    markup("\"><caption>")
    if row.associations.contains(where: { $0.key == name }) {
      link(to: row.record?.address, of: row, tail: "/\(URLCoding.encodeSegment(name))") { $0.text(name) }
    } else {
      text(name)
    }
    markup("</caption>")
  }

  // MARK: Parts

  /// Adds markup verbatim.
  private mutating func markup(_ text: String) { builder.pending += text.utf8 }

  /// Adds text, escaped.
  private mutating func text(_ text: String) { markup(text.escapedForHTML) }

  private mutating func branch(
    _ operation: ExecutablePlan.Operation, _ column: Int, missing: String = "",
    _ body: (inout HTMLPrograms) -> Void
  ) {
    let start = builder.begin(operation, column, missing: missing)
    body(&self)
    builder.end(start)
  }

  private mutating func write(value content: RecordShape, as form: ValueForm) {
    switch content {
    case .value(let column, let format):
      let isBoolean = format == .boolean
      let plain: ValueForm = isBoolean ? .htmlBoolean : .html
      builder.append(form == .htmlCell ? (isBoolean ? .htmlBooleanCell : .htmlCell) : plain, column)
    case .optional(let column, let content):
      let missing = form == .htmlCell ? " data-kind=\"null\">\(Self.null)" : Self.null
      branch(.optional, column, missing: missing) { writer in
        writer.write(value: content, as: form)
      }
    case .object, .child:
      break
    }
  }

  /// A link whose text is a value.
  private mutating func link(to address: HTMLLayout.Address?, of row: HTMLRow, _ content: RecordShape) {
    guard let columns = address.flatMap(row.columns(of:)), let address else {
      markup("<span")
      write(value: content, as: .htmlCell)
      markup("</span>")
      return
    }
    markup("<a")
    href(address, columns, "")
    write(value: content, as: .htmlCell)
    markup("</a>")
  }

  /// A link to an address, followed by `tail`; without an address, its text alone.
  private mutating func link(
    to address: HTMLLayout.Address?, of row: HTMLRow, tail: String = "",
    _ body: (inout HTMLPrograms) -> Void
  ) {
    guard let columns = address.flatMap(row.columns(of:)), let address else {
      body(&self)
      return
    }
    markup("<a")
    href(address, columns, tail)
    markup(">")
    body(&self)
    markup("</a>")
  }

  /// The attribute that holds an address, written only where it leads back: no column of the key is NULL, and the text of
  /// each is read as its value.
  private mutating func href(
    _ address: HTMLLayout.Address, _ columns: [Int], _ tail: String, as attribute: String = "href"
  ) {
    func write(_ writer: inout HTMLPrograms, _ rest: ArraySlice<Int>) {
      guard let column = rest.first else {
        writer.markup(" \(attribute)=\"\(address.path.escapedForHTML)/")
        for (number, column) in columns.enumerated() {
          if number > 0 { writer.markup(",") }
          // Clients remove the segments `.` and `..`, and an empty one is ambiguous: such a key is written with its
          // column's name.
          let name = columns.count == 1 ? "\(address.key[number].column.escapedForHTML)=" : ""
          writer.builder.append(columns.count == 1 ? .key : .segment, column, missing: name)
        }
        writer.markup("\(tail.escapedForHTML)\"")
        return
      }
      let operation: ExecutablePlan.Operation =
        switch address.key[rest.startIndex].reading {
        case .text: .named
        case .blob: .namedInBlobs
        case .untyped: .namedUntyped
        }
      writer.branch(operation, column) { write(&$0, rest.dropFirst()) }
    }
    write(&self, columns[...])
  }

  /// The name of a row's record as text: its label, else its key.
  private mutating func name(of row: HTMLRow) {
    guard let label = row.record?.label.flatMap({ row.columns[$0] }) else {
      key(of: row)
      return
    }
    branch(.optional, label) { $0.builder.append(.htmlText, label) }
    branch(.absent, label) { $0.key(of: row) }
  }

  private mutating func key(of row: HTMLRow) {
    guard let columns = row.record?.address.flatMap(row.columns(of:)) else {
      text(row.record?.resource ?? "record")
      return
    }
    for (number, column) in columns.enumerated() {
      if number > 0 { markup(",") }
      builder.append(.htmlText, column)
    }
  }
}
