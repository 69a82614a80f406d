/// Long inputs, in which work that isn't linear takes so long that libFuzzer reports it.
///
/// libFuzzer itself makes short ones, because it can try more of them.
public enum Repetition {
  /// The length in bytes.
  private static let length = 128 << 10

  /// Returns whether an input is one of the few that are tried in a long form.
  public static func isChosen(_ input: some Collection<UInt8>) -> Bool {
    guard !input.isEmpty else { return false }
    var generator = SplitMix64([UInt8](input))
    return generator.next().isMultiple(of: 128)
  }

  /// Returns a text again and again, with a separator between.
  public static func of(_ text: String, separatedBy separator: String = "") -> String {
    let part = text + separator
    guard !part.isEmpty else { return "" }
    return String(repeating: part, count: max(1, length / part.utf8.count)) + text
  }
}
