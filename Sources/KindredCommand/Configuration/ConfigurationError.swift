/// An error in the configuration, with its place and its fix.
struct ConfigurationError: Error, CustomStringConvertible {
  /// The file and line, or the environment variable.
  let place: String
  let message: String

  var description: String { "\(place): \(message)" }
}

/// Collects mistakes, so that `kindred serve --check` can report all of them; everything else reports the first.
final class Mistakes {
  private(set) var all: [any Error] = []

  /// Adds a mistake, once.
  func add(_ mistake: any Error) {
    if !all.contains(where: { "\($0)" == "\(mistake)" }) { all.append(mistake) }
  }

  /// Returns the result of `body`; nil if it throws, which is then a mistake.
  @discardableResult
  func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      add(error)
      return nil
    }
  }

  /// Throws the first mistake that `check` adds, if there are any.
  static func first(in check: (Mistakes) -> Void) throws {
    let mistakes = Mistakes()
    check(mistakes)
    try mistakes.check()
  }

  /// Throws the first mistake, if there are any.
  func check() throws {
    if let first = all.first { throw first }
  }
}
