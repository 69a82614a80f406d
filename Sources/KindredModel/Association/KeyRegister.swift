/// The names in use in one namespace: the columns and association keys of a table, or the resources.
struct KeyRegister {
  private var taken: NameSet
  /// The last number that was appended to each name.
  private var numbers: [ExactName: Int] = [:]

  init(taken: some Sequence<String>) {
    self.taken = NameSet(taken)
  }

  /// Whether `key` may still be claimed; names are case-sensitive.
  func isFree(_ key: String) -> Bool { !taken.contains(key) }

  /// Claims `key` if it is free, and returns whether it was.
  mutating func claimIfFree(_ key: String) -> Bool { taken.insert(key) }

  /// Claims and returns the first free candidate, or else `base` with the lowest free number from 2 on appended.
  ///
  /// - Parameter base: The last candidate by default.
  mutating func claim(_ candidates: [String], numbering base: String? = nil) -> String {
    for candidate in candidates where taken.insert(candidate) { return candidate }
    let base = base ?? candidates.last ?? ""
    var number = numbers[ExactName(base)] ?? 1
    repeat { number += 1 } while !taken.insert("\(base)\(number)")
    numbers[ExactName(base)] = number
    return "\(base)\(number)"
  }
}
