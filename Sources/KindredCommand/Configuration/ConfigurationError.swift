/// An error in the configuration, with its place and its fix.
struct ConfigurationError: Error, CustomStringConvertible {
  /// The file and line, or the environment variable.
  let place: String
  let message: String

  var description: String { "\(place): \(message)" }
}
