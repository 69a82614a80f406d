extension SQL {
  /// A byte of the text or a binding, for comparisons that don't stop where parts do.
  private enum Atom: Equatable {
    case byte(UInt8)
    case binding(Binding)
  }

  private var atoms: [Atom] {
    parts.flatMap { part -> [Atom] in
      switch part {
      case .text(let text): text.utf8.map { .byte($0) }
      case .binding(let binding): [.binding(binding)]
      }
    }
  }

  private init(_ atoms: some Sequence<Atom>) {
    var text: [UInt8] = []
    for atom in atoms {
      switch atom {
      case .byte(let byte):
        text.append(byte)
      case .binding(let binding):
        if !text.isEmpty { append(.text(String(decoding: text, as: UTF8.self))) }
        text = []
        append(.binding(binding))
      }
    }
    if !text.isEmpty { append(.text(String(decoding: text, as: UTF8.self))) }
  }

  /// Whether `part`, text and bindings, occurs in it.
  public func contains(_ part: SQL) -> Bool {
    let wanted = part.atoms
    return !wanted.isEmpty && Self.firstOccurrence(of: wanted, in: atoms[...]) != nil
  }

  /// With `other` in place of each occurrence of `part`.
  ///
  /// It compares text: `part` must be something that has one meaning wherever it stands, such as a subquery in its
  /// parentheses.
  public func replacing(_ part: SQL, with other: SQL) -> SQL {
    let wanted = part.atoms
    guard !wanted.isEmpty else { return self }
    var rest = atoms[...]
    var result: [Atom] = []
    while let start = Self.firstOccurrence(of: wanted, in: rest) {
      result += rest[..<start] + other.atoms
      rest = rest[(start + wanted.count)...]
    }
    return SQL(result + rest)
  }

  private static func firstOccurrence(of wanted: [Atom], in atoms: ArraySlice<Atom>) -> Int? {
    guard atoms.count >= wanted.count else { return nil }
    return (atoms.startIndex...(atoms.endIndex - wanted.count)).first { start in
      atoms[start] == wanted[0] && atoms[start..<(start + wanted.count)].elementsEqual(wanted)
    }
  }

  /// The same, with other SQL in the places of some of the bindings: those for which `replacement` gives it.
  public func replacingBindings(_ replacement: (Binding) throws -> SQL?) rethrows -> SQL {
    var sql = SQL()
    for part in parts {
      if case .binding(let binding) = part, let other = try replacement(binding) {
        sql.append(other)
      } else {
        sql.append(part)
      }
    }
    return sql
  }
}
