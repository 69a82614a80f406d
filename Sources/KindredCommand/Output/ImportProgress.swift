import Dispatch
import Foundation
import KindredSpooling

/// Shows the progress of an import as a bar on standard error, if that is a terminal.
final class ImportProgress {
  private let file: ContentFile
  private let start = DispatchTime.now()
  private let timer: (any DispatchSourceTimer)?

  private static let width = 40

  init(of file: ContentFile) {
    self.file = file
    guard isatty(STDERR_FILENO) == 1 else {
      timer = nil
      return
    }
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kindred.import.progress"))
    timer.schedule(deadline: .now() + .milliseconds(200), repeating: .milliseconds(100))
    timer.setEventHandler { Self.show(file.readCount, of: file.count) }
    self.timer = timer
    timer.resume()
  }

  /// Removes the bar.
  func end() {
    guard let timer else { return }
    timer.cancel()
    StandardError.write("\r\u{1B}[K")
  }

  /// Returns a line with the number of imported records and the time.
  func summary(of count: Int) -> String {
    let nanoseconds = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
    let seconds = Double(max(nanoseconds, 1)) / 1e9
    let rate = Int(Double(count) / seconds)
    let time = seconds.formatted(
      .number.precision(.fractionLength(2)).locale(Locale(identifier: "en_US_POSIX")))
    return "\(count) \(count == 1 ? "record" : "records") in \(time) s, \(rate) a second"
  }

  private static func show(_ read: Int, of count: Int) {
    let share = count == 0 ? 1 : min(1, Double(read) / Double(count))
    let done = Int(share * Double(width))
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
    StandardError.write("\r\(bar) \(Int(share * 100)) %\u{1B}[K")
  }
}
