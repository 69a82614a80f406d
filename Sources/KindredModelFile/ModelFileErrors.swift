/// Collects the errors of a model file, so that all of them can be reported together.
final class ModelFileErrors {
  private(set) var errors: [ModelFileError]

  init(_ errors: [ModelFileError] = []) {
    self.errors = errors
  }

  /// Returns the result of `body`, or nil if it throws a `ModelFileError`, which is then collected.
  @discardableResult
  func attempt<Result>(_ body: () throws -> Result) rethrows -> Result? {
    do {
      return try body()
    } catch let error as ModelFileError {
      add(error)
      return nil
    }
  }

  /// Throws the first error with the others, if there are any; the others may be consequences of the first.
  func check() throws {
    guard var first = errors.first else { return }
    first.others = Array(errors.dropFirst())
    throw first
  }

  private func add(_ error: ModelFileError) {
    // An association that others go through fails for each of them.
    if !errors.contains(where: { $0.description == error.description }) { errors.append(error) }
  }
}
