import Foundation
import KindredHTTP

/// Reports to the service manager that the server still answers, as long as it does.
final class Watchdog {
  private let timer: any DispatchSourceTimer

  /// Returns nil if the manager doesn't expect it.
  init?(of server: HTTPServer, for manager: ServiceManager?) {
    guard let manager, let interval = manager.watchdogInterval else { return nil }
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kindred.watchdog"))
    // Twice in each interval, as sd_watchdog_enabled(3) recommends.
    let (seconds, attoseconds) = interval.components
    let nanoseconds = (Int(clamping: seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)) / 2
    timer.schedule(deadline: .now(), repeating: .nanoseconds(nanoseconds))
    // On the threads that answer requests, because a timer alone would report those of a deadlock, too.
    timer.setEventHandler { server.pulse { manager.notify("WATCHDOG=1") } }
    timer.activate()
  }

  deinit { timer.cancel() }
}
