/// Collects all errors of a request, and the meaning of each of its names.
///
/// With diagnostics, parsing and planning continue after an error: they note it and put a harmless value in its place.
package final class Diagnostics {
  /// The meaning of a name in a request.
  package enum Meaning: Sendable, Hashable {
    case column, association, aggregate, function
    /// The key of a node, or the name of a value, that the request defines.
    case name
  }

  /// The errors without repetitions, in the order of their discovery.
  package private(set) var errors: [RequestError] = []
  /// The meanings of the names that were resolved, by their place in the request.
  package private(set) var meanings: [Origin: Meaning] = [:]
  /// How often an error was met, including repetitions.
  package private(set) var encounters = 0
  private var seen: Set<Place> = []

  private struct Place: Hashable {
    var origin: Origin?
    package var message: String
  }

  /// More errors wouldn't be useful, and each takes time to find.
  private static let maximumErrors = 100

  /// The maximum number of errors has been noted, so the rest of the request is not examined.
  package struct Full: Error {}

  package init() {}

  /// Notes an error, unless the same one has been noted before.
  ///
  /// - Throws: `Full` when the maximum number of errors is reached.
  func noteOrEnd(_ error: RequestError) throws(Full) {
    note(error)
    if errors.count >= Self.maximumErrors { throw Full() }
  }

  /// Notes an error, unless the same one has been noted before or the maximum number is reached.
  package func note(_ error: RequestError) {
    encounters += 1
    guard errors.count < Self.maximumErrors,
      seen.insert(Place(origin: error.origin, message: error.message)).inserted
    else { return }
    errors.append(error)
  }

  /// Notes the meaning of a name; names from elsewhere, such as from the model file, are ignored.
  ///
  /// The first meaning is kept: an unnamed annotation such as `bookCount` is an aggregate first and then also its name.
  package func note(_ meaning: Meaning, at origin: Origin) {
    if origin.number != nil, meanings[origin] == nil { meanings[origin] = meaning }
  }
}

/// Returns the result of `body`, or nil if it throws a `RequestError` that the diagnostics note.
///
/// - Throws: what `body` throws, if there are no diagnostics or it isn't a `RequestError`; `Diagnostics.Full`.
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
