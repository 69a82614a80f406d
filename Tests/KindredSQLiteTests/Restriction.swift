import Foundation
import Testing

#if canImport(Glibc)
  import Glibc

  // Not in the Glibc module.
  @_silgen_name("mount")
  private func mount(
    _ source: UnsafePointer<CChar>?, _ target: UnsafePointer<CChar>, _ type: UnsafePointer<CChar>?,
    _ flags: UInt,
    _ data: UnsafeRawPointer?
  ) -> Int32
  @_silgen_name("unshare")
  private func unshare(_ flags: Int32) -> Int32
  @_silgen_name("setfsuid")
  private func setfsuid(_ user: UInt32) -> Int32
#endif

/// A way in which a directory can't be written to.
///
/// Both concern a single thread, which ends with what is tried: on Linux, mounts and the user that files
/// are opened as can be a thread's own. They take root, whom permissions do not bind otherwise.
enum Restriction: CaseIterable {
  /// The directory is mounted read-only (EROFS).
  case readOnlyMount
  /// The directory and its files belong to somebody else (EACCES).
  case otherUser

  /// Those that this process may try.
  static let possible = allCases.filter(\.isPossible)

  var isPossible: Bool {
    guard let directory = try? TemporaryDirectory() else { return false }
    return (try? apply(to: directory.path) {}) != nil
  }

  struct NotPermitted: Error {}

  /// Runs `body` while the directory can't be written to.
  func apply<Value>(to directory: String, _ body: @escaping () throws -> Value) throws -> Value {
    // This thread waits for the other one, so there is never more than one in here.
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var outcome = Result<Value, any Error>.failure(NotPermitted())
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      outcome = Result {
        try enter(directory)
        return try body()
      }
      done.signal()
    }
    thread.start()
    done.wait()
    return try outcome.get()
  }

  private func enter(_ directory: String) throws {
    #if canImport(Glibc)
      guard geteuid() == 0 else { throw NotPermitted() }
      switch self {
      case .otherUser:
        let nobody: UInt32 = 65534
        _ = setfsuid(nobody)
        // It tells the former user only: asking again tells the present one.
        guard setfsuid(nobody) == Int32(nobody) else { throw NotPermitted() }
      case .readOnlyMount:
        let (newNamespace, bind, remount, readOnly, recursive, isPrivate) =
          (Int32(0x20000), UInt(4096), UInt(32), UInt(1), UInt(16384), UInt(1 << 18))
        guard unshare(newNamespace) == 0, mount(nil, "/", nil, recursive | isPrivate, nil) == 0,
          mount(directory, directory, nil, bind, nil) == 0,
          mount(nil, directory, nil, bind | remount | readOnly, nil) == 0
        else { throw NotPermitted() }
      }
    #else
      throw NotPermitted()
    #endif
  }
}
