import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The comparison of keys with what they refer to.
extension PostgreSQLDialect {
  func compared(_ pair: KeyPair) -> KeyPair {
    guard let comparison = pair.comparison else { return pair }
    var pair = pair
    let (referring, referred) = (comparison.referring, comparison.referred)
    let (ofKey, ofValue) = pair.isReferredTo ? (referred, referring) : (referring, referred)
    if isText(ofKey, asComparedWith: ofValue) { pair.key.append("::text") }
    if isText(ofValue, asComparedWith: ofKey) { pair.value.append("::text") }
    // Columns of different collations can't be compared, or are by the wrong one.
    if referring.collation != referred.collation {
      // If both find the same texts equal, the key's may be that of an index.
      let collation = referring.comparesBytes && referred.comparesBytes ? ofKey.collation : referred.collation
      pair.value.append(" COLLATE \(identifier: collation)")
    }
    return pair
  }

  /// Returns whether a column is compared by its text, because the other one is a text.
  private func isText(_ column: Column, asComparedWith other: Column) -> Bool {
    guard let type = type(of: column), let other = self.type(of: other) else { return false }
    return type.kind != .text && other.kind == .text
  }

  func canCompare(_ comparison: KeyComparison) -> Bool {
    guard let type = type(of: comparison.referring), let other = self.type(of: comparison.referred) else {
      return true
    }
    // One of two types is text, or both have an operator for them.
    return (type.kind == .text) != (other.kind == .text) || type.isCertainlyComparable(with: other)
  }
}
