import ArgumentParser
import KindredAPI
import KindredCryptography

/// The command `kindred key`.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Make an API key, and its line for the configuration file.",
    discussion: """
      The first line is the key, for the client, who sends it as `Authorization: Bearer KEY`. The second line is for the \
      section access.keys of the configuration file: it holds a digest, from which nobody gets the key.

      Examples:
        kindred key
      """)

  func run() throws {
    guard let key = AccessConfiguration.APIKey.random() else { throw RandomnessError() }
    let digest = AccessConfiguration.APIKey(key: key, roles: []).digest.hexadecimal
    try StandardOutput.writeLine(key)
    try StandardOutput.writeLine("- { sha256: \(digest), roles: [reader], claims: { sub: 1 } }")
  }
}

/// The system gives no random bytes.
private struct RandomnessError: Error, CustomStringConvertible {
  let description = "the system has no random bytes to make a key of; try again later"
}
