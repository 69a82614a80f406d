import KindredPlanning

/// The layout of a table's rows: cells for values, cells for associations, and nested records below.
struct HTMLRow {
  let record: HTMLLayout.Record?
  /// The members that lead to these records.
  let path: [String]
  /// The members that have cells.
  let values: [RecordShape.Member]
  /// The members that are records, shown below the row.
  let records: [RecordShape.Member]
  /// The column of each member's value, keyed by the member's name; hidden members included.
  let columns: [String: Int]

  init(_ members: [RecordShape.Member], _ record: HTMLLayout.Record?, at path: [String]) {
    self.record = record
    self.path = path
    let shown = members.filter { !HTMLLayout.isHidden($0.name) }
    values = shown.filter(\.shape.isValue)
    records = shown.filter { !$0.shape.isValue }
    var columns: [String: Int] = [:]
    for member in members {
      if case .value(let column, _) = member.shape { columns[member.name] = column }
    }
    self.columns = columns
  }

  /// The columns of an address's key; nil if the row lacks any.
  func columns(of address: HTMLLayout.Address) -> [Int]? {
    let found = address.key.compactMap { columns[$0.member] }
    return found.isEmpty || found.count < address.key.count ? nil : found
  }

  /// The associations that a row links to: none without an address.
  var associations: [HTMLLayout.Association] {
    guard let record, let address = record.address, columns(of: address) != nil else { return [] }
    return record.associations
  }

  /// Whether there are no values to show, so that a cell with the record's name stands in.
  var hasOnlyKey: Bool { values.isEmpty }

  /// The member whose cell heads the row: the label, else the key, else the first.
  var headerMember: String? {
    let names = values.map(\.name)
    if let heading = record?.heading, names.contains(heading) { return heading }
    return record?.address?.key.map(\.member).first(where: names.contains) ?? names.first
  }

  /// The number of cells in a row.
  var width: Int { max(values.count, 1) + associations.count }

  /// The table's start tag without `>`, so that further attributes can follow.
  var tableStart: String {
    guard let record else { return "<table" }
    let attributes: [(String, String?)] = [
      ("resource", record.resource), ("node", record.node), ("repeats", record.repeats),
      ("changes", record.changes.isEmpty ? nil : record.changes.joined(separator: " ")),
      ("searchable", record.isSearchable ? "" : nil),
    ]
    return attributes.reduce(into: "<table") { text, attribute in
      guard let value = attribute.1 else { return }
      text += " data-\(attribute.0)=\"\(value.escapedForHTML)\""
    }
  }

  /// The rest of the start tag of the root's table.
  var tableName: String { " aria-label=\"\((record?.resource ?? "records").escapedForHTML)\">" }

  static let tableEnd = "</tbody></table>\n"

  var head: String {
    var cells = values.map(\.name).map { name in
      var attributes = ""
      if let column = record?.columns[name] {
        attributes += " data-column=\"\(column.term.escapedForHTML)\""
        if column.name != name { attributes += " data-name=\"\(column.name.escapedForHTML)\"" }
        attributes += " data-input=\"\(column.input.escapedForHTML)\""
        if let literal = column.literal { attributes += " data-literal=\"\(literal.escapedForHTML)\"" }
        if column.isFixed { attributes += " data-fixed" }
        if column.isSearched { attributes += " data-searched" }
        if let comment = column.comment { attributes += " title=\"\(comment.escapedForHTML)\"" }
      }
      if record?.groupKeys.contains(name) ?? false { attributes += " data-key" }
      if let order = record?.order, order.member == name {
        attributes += " aria-sort=\"\(order.isDescending ? "descending" : "ascending")\""
      }
      return "<th scope=\"col\"\(attributes)>\(name.escapedForHTML)</th>"
    }
    if hasOnlyKey { cells = ["<th scope=\"col\">record</th>"] }
    cells += associations.map { association in
      let kind = association.isToMany ? "many" : "one"
      let needs = association.needsParameters ? " data-needs" : ""
      return
        "<th scope=\"col\" data-association=\"\(kind)\"\(needs)>\(association.key.escapedForHTML)</th>"
    }
    return "<thead><tr>\(cells.joined())</tr></thead><tbody>\n"
  }
}
