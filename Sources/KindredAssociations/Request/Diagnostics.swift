/// What is found out about a request beside its meaning: all of its errors, and what each of its names stands for.
///
/// Parsing and planning with diagnostics go on after an error: they note it, and put something harmless in place of what
/// is wrong.
package final class Diagnostics {
  /// What a name of a request stands for.
  package enum Meaning: Sendable, Hashable {
    case column, association, aggregate, function
    /// The key of a node or the name of a value that the request gives.
    case name
  }

  /// Each once, in the order of their discovery.
  package private(set) var errors: [RequestError] = []
  /// What the names that were found mean, by where they are written.
  package private(set) var meanings: [Origin: Meaning] = [:]
  /// How often an error was met, repetitions among them.
  private(set) var encounters = 0
  private var seen: Set<Place> = []

  private struct Place: Hashable {
    var origin: Origin?
    var message: String
  }

  /// More errors than that don't help anybody, and each takes time.
  private static let maximumErrors = 100

  /// There are as many errors as are noted: what comes after them is left unread.
  package struct Full: Error {}

  package init() {}

  /// Notes an error, unless the same is known already.
  ///
  /// - Throws: `Full` with the last error that is noted.
  func noteOrEnd(_ error: RequestError) throws(Full) {
    note(error)
    if errors.count >= Self.maximumErrors { throw Full() }
  }

  /// The same, and goes on.
  package func note(_ error: RequestError) {
    encounters += 1
    guard errors.count < Self.maximumErrors,
      seen.insert(Place(origin: error.origin, message: error.message)).inserted
    else { return }
    errors.append(error)
  }

  /// Notes what a name means; names that the request doesn't hold, such as those of the model file, are passed over.
  ///
  /// The first meaning counts: an annotation without a name, such as `bookCount`, is an aggregate, and then the name of it.
  package func note(_ meaning: Meaning, at origin: Origin) {
    if origin.number != nil, meanings[origin] == nil { meanings[origin] = meaning }
  }
}

/// What `body` returns; nil where it fails and there are diagnostics that note the error.
///
/// - Throws: what `body` throws where there are none; `Diagnostics.Full`.
@discardableResult
package func noting<Value>(_ diagnostics: Diagnostics?, _ body: () throws -> Value) throws -> Value? {
  guard let diagnostics else { return try body() }
  do {
    return try body()
  } catch let error as RequestError {
    try diagnostics.noteOrEnd(error)
    return nil
  }
}
