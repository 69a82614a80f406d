extension SQL {
  /// How many bytes the text takes, about: a parameter counts as four.
  public var length: Int {
    parts.reduce(0) { length, part in
      if case .text(let text) = part { length + text.utf8.count } else { length + 4 }
    }
  }
}
