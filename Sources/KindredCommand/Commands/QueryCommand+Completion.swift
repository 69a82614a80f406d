import ArgumentParser
import KindredTools

/// Completes the URL in a shell, with the names of the database that precedes it.
extension QueryCommand {
  /// Returns the possible completions of a word; empty if the database can't be read.
  ///
  /// - Parameters:
  ///   - words: the words of the command line, beginning with the program's name.
  ///   - typed: the part of the completed word before the cursor.
  static func completions(of words: [String], typed: String) -> [String] {
    let quote = String(typed.prefix(1).filter { $0 == "'" || $0 == "\"" })
    guard let invocation = Self.invocation(in: words),
      let read = try? invocation.requests.modelSource(),
      let model = try? DatabaseLocation(invocation.database).withSchema(invocation.postgreSQL, read)
    else { return [] }
    let completion = URLCompletion(model: model, limits: invocation.requests.limits)
    return completion.completions(of: String(typed.dropFirst(quote.count))).map { quote + $0 }
  }

  /// Returns the command as typed so far, in which the URL may still be missing.
  private static func invocation(in words: [String]) -> QueryCommand? {
    let arguments = Array(words.drop { $0 != "query" }.dropFirst())
    return [arguments, arguments + ["/"]].lazy.compactMap { try? QueryCommand.parse($0) }.first
  }
}
