/// What is wrong in the configuration, where it says so, and how to mend it.
struct ConfigurationError: Error, CustomStringConvertible {
  /// The file and line, or the environment variable.
  let place: String
  let message: String

  var description: String { "\(place): \(message)" }
}
