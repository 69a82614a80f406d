import ArgumentParser
import KindredAPI
import KindredModel
import KindredCryptography

/// The command `kindred key`.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Create an API key and its entry for the configuration file.",
    discussion: """
      The first line is the key, which the client sends as `Authorization: Bearer KEY`. The second line is an entry \
      for access.keys in the configuration file; it contains only a digest, from which the key can't be recovered.

      Examples:
        kindred key
      """)

  func run() throws {
    let key = AccessConfiguration.APIKey.random()
    let digest = AccessConfiguration.APIKey(key: key, roles: []).digest.hexadecimal
    try StandardOutput.writeLine(key)
    try StandardOutput.writeLine("- { sha256: \(digest), roles: [reader], claims: { sub: 1 } }")
  }
}
