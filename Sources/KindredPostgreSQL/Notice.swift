import CKindredPostgreSQL

/// The memory of the last notice about a violated constraint, and of the last warning.
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

  /// The message of the last warning; nil if there was none.
  var warning: String? {
    let message = withUnsafeBytes(of: &memory.pointee.warning) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    return message.isEmpty ? nil : message
  }

  /// Forgets the notice.
  func clear() { memory.pointee.state.0 = 0 }

  /// Forgets the warning.
  func clearWarning() { memory.pointee.warning.0 = 0 }
}
