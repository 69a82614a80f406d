import KindredSQLSyntax

/// The names in use in one namespace: the columns and association keys of a table, or the resources.
struct KeyRegister {
  private var taken: NameSet
  /// The names that have been claimed.
  private var claimed: NameSet = []
  /// The last number that was appended to each name.
  private var numbers: [ExactName: Int] = [:]

  init(taken: some Sequence<String>) {
    self.taken = NameSet(taken)
  }

  /// Claims `key` if it is free, and returns whether it was; names are case-sensitive.
  ///
  /// - Parameter column: The taken name that the owner of the key may have, unless another one has claimed it.
  mutating func claimIfFree(_ key: String, over column: String? = nil) -> Bool {
    let isFree = taken.insert(key) || (column?.hasBytes(of: key) ?? false) && !claimed.contains(key)
    if isFree { _ = claimed.insert(key) }
    return isFree
  }

  /// Claims and returns the first free candidate, or else `base` with the lowest free number from 2 on appended.
  ///
  /// - Parameter base: The last candidate by default.
  mutating func claim(
    _ candidates: [String], over column: String? = nil, numbering base: String? = nil
  ) -> String {
    for candidate in candidates where claimIfFree(candidate, over: column) { return candidate }
    let base = base ?? candidates.last ?? ""
    var number = numbers[ExactName(base)] ?? 1
    repeat { number += 1 } while !claimIfFree("\(base)\(number)")
    numbers[ExactName(base)] = number
    return "\(base)\(number)"
  }
}
