import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc

  // The Glibc module lacks this function.
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

/// A reason why a directory can't be written.
///
/// Each applies to a single thread, which ends with the attempt: on Linux, mounts and the user for file access can
/// differ between threads. They need root, which permissions alone do not restrict.
enum Restriction: CaseIterable {
  /// The directory is mounted read-only (EROFS).
  case readOnlyMount
  /// The directory and its files belong to another user (EACCES).
  case otherUser

  /// The restrictions that this process can set up.
  static let possible = allCases.filter(\.isPossible)

  var isPossible: Bool {
    guard let directory = try? TemporaryDirectory() else { return false }
    return (try? apply(to: directory.path) {}) != nil
  }

  struct NotPermitted: Error {}

  /// Runs `body` while the directory can't be written.
  func apply<Value>(to directory: String, _ body: @escaping () throws -> Value) throws -> Value {
    // This thread waits for the other one, so only one of them uses the value at a time.
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
        // The call returns the previous user only; calling it again returns the current one.
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
