import KindredPlanning

/// Programs that write JSON (RFC 8259): instructions for the values, and the constant bytes between them.
struct JSONPrograms {
  /// How records are written.
  enum Records {
    /// As objects.
    case objects
    /// Without loss (`profile=rows`), as arrays of their members by position.
    ///
    /// The storage class of a value decides how it is written, never the declared type of its column, so that a client
    /// reads the values that the database holds. Names aren't written: the client knows them, since it names its
    /// fields.
    case arrays
  }

  private let records: Records
  private var builder = ProgramBuilder()

  private init(_ records: Records) { self.records = records }

  /// - Parameter ending: The text after each root record, in place of an array around all of them.
  static func make(
    _ plan: Plan, _ records: Records = .objects, endingRecordsBy ending: String? = nil
  ) -> (programs: [ExecutablePlan.Program], text: [UInt8]) {
    var writer = JSONPrograms(records)
    let programs = plan.nodes.enumerated().map { number, node in
      writer.program(of: node, endingRecordsBy: number == 0 ? ending : nil)
    }
    return (programs, writer.builder.text)
  }

  private mutating func program(
    of node: Plan.Node, endingRecordsBy ending: String?
  ) -> ExecutablePlan.Program {
    var frame = ExecutablePlan.Frame()
    write(node.shape)
    if let ending {
      builder.pending += ending.utf8
    } else if node.isToMany {
      frame = ExecutablePlan.Frame(
        opening: builder.put("["), separator: builder.put(","), closing: builder.put("]"))
    } else {
      frame.missing = builder.put("null")
    }
    return builder.finish(frame)
  }

  private mutating func write(_ shape: RecordShape) {
    switch shape {
    case .value(let column, let format):
      builder.append(operation(format), column)
    case .object(let members):
      builder.pending += (records == .objects ? "{" : "[").utf8
      let written = records == .objects ? members.placed : members.map { ($0, nil) }
      for (number, (member, replaced)) in written.enumerated() {
        write(member, insteadOf: replaced, isFirst: number == 0)
      }
      builder.pending += (records == .objects ? "}" : "]").utf8
      // Flush, so that a skipped optional or an omitted level can't take the closing bracket with it.
      builder.flush()
    case .optional(let column, let shape):
      let number = builder.begin(.optional, column, missing: "null")
      write(shape)
      builder.end(number)
    case .child(let node):
      builder.end(builder.begin(.child, node, missing: records == .objects ? "" : "null"))
    }
  }

  private func operation(_ format: Plan.ValueFormat) -> ExecutablePlan.Operation {
    guard records == .objects else { return .exact }
    return switch format {
    case .plain: .value
    case .boolean: .boolean
    case .json, .part: .json
    }
  }

  private mutating func write(
    _ member: RecordShape.Member, insteadOf replaced: RecordShape?, isFirst: Bool
  ) {
    // The last level of a recursion omits the member of an object together with its prefix; in an array it is null.
    if member.isRepetition, records == .objects { builder.flush() }
    if !isFirst { builder.pending.append(UInt8(ascii: ",")) }
    if member.isRepetition, records == .arrays { builder.flush() }
    if records == .objects {
      builder.pending.append(quoted: member.name)
      builder.pending.append(UInt8(ascii: ":"))
    }
    if member.isRepetition, let replaced, case .child(let node) = member.shape {
      // The last level has the column.
      let prefix = builder.pending
      let child = builder.begin(.child, node)
      builder.pending = prefix
      write(replaced)
      builder.end(child)
    } else {
      write(member.shape)
    }
  }
}
