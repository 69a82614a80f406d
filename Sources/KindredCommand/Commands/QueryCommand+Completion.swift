import ArgumentParser
import KindredAPI

/// What a shell completes: the URL, by the names of the database that is named before it.
extension QueryCommand {
  /// The URLs that a word of the command line can become; none where the database can't be read.
  ///
  /// - Parameters:
  ///   - words: of the command line, the program's name first.
  ///   - typed: of the word that is completed, what stands before the cursor.
  static func completions(of words: [String], typed: String) -> [String] {
    let quote = String(typed.prefix(1).filter { $0 == "'" || $0 == "\"" })
    guard let invocation = Self.invocation(in: words),
      let read = try? invocation.requests.modelSource(),
      let model = try? DatabaseLocation(invocation.database).withSchema(invocation.postgreSQL, read)
    else { return [] }
    let completion = URLCompletion(model: model, limits: invocation.requests.serviceOptions.limits)
    return completion.completions(of: String(typed.dropFirst(quote.count))).map { quote + $0 }
  }

  /// The command as far as it has been written: the URL may be missing yet.
  private static func invocation(in words: [String]) -> QueryCommand? {
    let arguments = Array(words.drop { $0 != "query" }.dropFirst())
    return [arguments, arguments + ["/"]].lazy.compactMap { try? QueryCommand.parse($0) }.first
  }
}
