/// The names that are taken in one place: column names and association keys of a table, or names of resources.
struct KeyRegister {
  private var taken: Set<String>
  /// The last number given after a name.
  private var numbers: [String: Int] = [:]

  init(taken: some Sequence<String>) {
    self.taken = Set(taken)
  }

  /// Whether `key` may still be claimed; case tells names apart.
  func isFree(_ key: String) -> Bool { !taken.contains(key) }

  /// Takes `key`; false where it is taken already.
  mutating func claimIfFree(_ key: String) -> Bool { taken.insert(key).inserted }

  /// Takes the first free one of `candidates`, or else `base` with the first free number from 2 on; the base is the
  /// last candidate unless it is given.
  mutating func claim(_ candidates: [String], numbering base: String? = nil) -> String {
    for candidate in candidates where taken.insert(candidate).inserted { return candidate }
    let base = base ?? candidates.last ?? ""
    var number = numbers[base] ?? 1
    repeat { number += 1 } while !taken.insert("\(base)\(number)").inserted
    numbers[base] = number
    return "\(base)\(number)"
  }
}
