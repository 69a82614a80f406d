import Dispatch
import Foundation

/// Finds out whether code runs on the main queue.
enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the calling code runs on the main queue.
  ///
  /// Usually that is the main thread. On Linux, after `dispatchMain()`, other threads serve the main queue.
  static var isCurrent: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
  }
}
