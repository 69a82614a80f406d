import KindredModel

/// Writes proposals as a model file.
///
///     resources:
///       books:
///         foreignKeys:
///           author_id: authors  # 120 of 120 values found; indexed
///           # code: countries  # 12 of 40 values found; no index
public struct GuessRenderer {
  /// Creates a renderer.
  public init() {}

  /// Returns the text of the file; what isn't certain is a comment.
  public func text(of guesses: ForeignKeyGuesses) -> String {
    let all = guesses.resources.flatMap(\.guesses)
    let count = all.count(where: \.isCertain)
    var lines = [
      "# \(count) foreign \(count == 1 ? "key" : "keys") proposed by name and values, which the database may not mean: check each.",
      "# What follows a # isn't certain.",
      count == 0 ? "resources: {}" : "resources:",
    ]
    for (resource, guesses) in guesses.resources {
      let isCertain = guesses.contains(where: \.isCertain)
      let start = isCertain ? "  " : "  # "
      lines += ["\(start)\(YAMLText.scalar(resource.name)):", "\(start)  foreignKeys:"]
      for guess in guesses {
        let mark = guess.isCertain ? "" : isCertain ? "# " : ""
        lines.append("\(start)    \(mark)\(line(of: guess))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(of guess: ForeignKeyGuesses.Guess) -> String {
    let (table, resource) = (guess.target.table, YAMLText.scalar(guess.target.resource.name))
    let key = table.primaryKey.map { table.columns[$0].name }
    let target =
      key == [guess.target.key.name] ? resource : "{ \(resource): \(YAMLText.scalar(guess.target.key.name)) }"
    return "\(YAMLText.scalar(guess.column.name)): \(target)  # \(YAMLText.comment(guess.evidence))"
  }
}
