/// The place of a page in the order of its list.
public enum PagePlace: Hashable, Sendable {
  /// The first page.
  case first
  /// The records that follow the one of a cursor.
  case after(Cursor)
  /// The records just before the one of a cursor; without one, those at the end of the list.
  case before(Cursor?)

  /// The cursor that the page begins or ends at; nil if that is an end of the list.
  public var cursor: Cursor? {
    switch self {
    case .first, .before(nil): nil
    case .after(let cursor), .before(let cursor?): cursor
    }
  }

  /// Whether the page is found from its end.
  public var isBackward: Bool {
    if case .before = self { true } else { false }
  }

  /// The name of the parameter with the cursor.
  package var parameter: String { isBackward ? "before" : "after" }
}

/// The places of the pages before and after a page; nil where there is none.
public struct PageNeighbours: Sendable {
  /// The place of the page before it.
  public var previous: PagePlace?
  /// The place of the page after it.
  public var next: PagePlace?

  /// Creates the neighbours of a page.
  public init(previous: PagePlace? = nil, next: PagePlace? = nil) {
    (self.previous, self.next) = (previous, next)
  }

  /// Creates the neighbours of a page that was found from its start, or backward from its end.
  ///
  /// - Parameters:
  ///   - precedes: Whether records precede the page.
  ///   - follows: Whether records follow it.
  ///   - first: Returns the cursor of its first record; nil if it is empty.
  ///   - last: Returns the cursor of its last record; nil if it is empty, or no record follows it.
  package init(
    isBackward: Bool, precedes: Bool, follows: Bool, first: () throws -> Cursor?, last: () throws -> Cursor?
  ) rethrows {
    self.init()
    let start = precedes || isBackward && follows ? try first() : nil
    if precedes { previous = .before(start) }
    guard follows else { return }
    if isBackward, start == nil {
      // Nothing precedes the place before which the page was looked for.
      next = .first
    } else {
      next = try last().map(PagePlace.after)
    }
  }
}
