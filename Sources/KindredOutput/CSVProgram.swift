import KindredPlanning

/// The program that writes CSV (RFC 4180): one line of names, then one line per record.
///
/// NULL is written as an empty field, and so is every value of a to-one association without a record; the empty text is
/// `""`. So an import reads what was written, also where a line has a single field and is empty if that is NULL.
struct CSVProgram {
  private var builder = ProgramBuilder()
  private var names: [String] = []

  /// - Throws: `NotTabular` where a member isn't a single value: a to-many or a recursive association.
  static func make(
    _ plan: Plan, isMarked: Bool
  ) throws(NotTabular) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    let shape = plan.nodes.first?.shape ?? .object([])
    var writer = CSVProgram()
    try writer.write(shape, at: [])
    let header = writer.builder.put(
      (isMarked ? "\u{FEFF}" : "") + writer.names.map(quoted).joined(separator: ",") + "\r\n")
    writer.builder.pending = Array("\r\n".utf8)
    let program = writer.builder.finish(ExecutablePlan.Frame(opening: header))
    return ([program], writer.builder.text)
  }

  /// - Parameter path: the names of the members that lead to `shape`.
  private mutating func write(_ shape: RecordShape, at path: [String]) throws(NotTabular) {
    switch shape {
    case .value(let column, let format):
      if !names.isEmpty { builder.pending = [UInt8(ascii: ",")] }
      builder.append(Self.form(of: format), column)
      names.append(path.joined(separator: "."))
    case .object(let members):
      for (member, _) in members.placed { try write(member.shape, at: path + [member.name]) }
    case .optional(let column, let shape):
      let (number, before) = (builder.begin(.optional, column), names.count)
      try write(shape, at: path)
      let fields = names.count - before
      let commas = String(repeating: ",", count: before > 0 ? fields : max(0, fields - 1))
      builder.end(number)
      builder.instructions[number].missing = builder.put(commas)
    case .child:
      throw NotTabular(path: path)
    }
  }

  private static func form(of format: Plan.ValueFormat) -> ValueForm {
    switch format {
    case .plain, .json: .csv
    case .boolean: .csvBoolean
    case .part: .csvPart
    }
  }

  private static func quoted(_ name: String) -> String {
    // On UTF-8: as a `Character`, CR LF is neither CR nor LF.
    guard name.utf8.contains(where: OutputBuffer.needsQuotesInCSV) else { return name }
    return "\"\(name.replacing("\"", with: "\"\""))\""
  }
}
