import CKindredPostgreSQL

/// The memory of the last notice about a violated constraint.
final class Notice {
  let memory = UnsafeMutablePointer<kindred_pq_notice>.allocate(capacity: 1)

  init() { memory.initialize(to: kindred_pq_notice()) }

  deinit { memory.deallocate() }

  /// The error that it tells of; nil if there was none.
  var error: PostgreSQLError? {
    let state = withUnsafeBytes(of: &memory.pointee.state) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    let message = withUnsafeBytes(of: &memory.pointee.message) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return state.isEmpty ? nil : PostgreSQLError(PostgreSQLError.State(state), message)
  }

  /// Forgets it.
  func clear() { memory.pointee.state.0 = 0 }
}
