extension SQL {
  /// The approximate length of the text in bytes; a part that isn't text counts as four.
  public var length: Int {
    parts.reduce(0) { length, part in
      if case .text(let text) = part { length + text.utf8.count } else { length + 4 }
    }
  }
}
