import KindredHTTP

/// The conditions of a request, `If-Match` before `If-None-Match` (RFC 9110 §13.2.2), for any method.
package struct Preconditions {
  private let needed: EntityTag.Condition?
  private let unwanted: EntityTag.Condition?

  package init(of request: HTTPRequest) {
    needed = EntityTag.Condition(request.headers.values(for: "If-Match"), isStrong: true)
    unwanted = EntityTag.Condition(request.headers.values(for: "If-None-Match"))
  }

  /// Whether the request has none.
  package var isEmpty: Bool { needed == nil && unwanted == nil }

  /// Whether a client that has the content already needs nothing more.
  package var mayBeHeld: Bool { unwanted != nil }

  package enum Outcome {
    /// The request goes on.
    case met
    /// The client has the content, under this tag.
    case held(EntityTag)
    /// The content isn't the one that the client expects.
    case failed
  }

  /// Returns what follows from the tag of the current content; nil if there is none.
  package func outcome(for tag: ContentHash.Digest?, coding: ContentCoding = .identity) -> Outcome {
    if let needed, tag.flatMap({ needed.match($0, coding: coding) }) == nil { return .failed }
    return held(tag, coding).map { .held($0) } ?? .met
  }

  /// Returns the tag under which the client has the content; nil if it doesn't, or if it expects certain content.
  package func heldTag(_ tag: ContentHash.Digest, coding: ContentCoding) -> EntityTag? {
    needed == nil ? held(tag, coding) : nil
  }

  private func held(_ tag: ContentHash.Digest?, _ coding: ContentCoding) -> EntityTag? {
    tag.flatMap { tag in unwanted.flatMap { $0.match(tag, coding: coding) } }
  }
}
