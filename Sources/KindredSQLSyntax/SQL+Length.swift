extension SQL {
  /// The approximate length of the text in bytes; a binding or a column counts as four.
  public var length: Int {
    parts.reduce(0) { length, part in
      switch part {
      case .text(let text): length + text.utf8.count
      case .term(let expression): length + expression.length
      case .binding, .column: length + 4
      }
    }
  }
}
