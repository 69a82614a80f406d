import ArgumentParser
import Foundation

/// The form of the lines of a log.
struct LogFormat: Sendable {
  /// What a line consists of.
  enum Form: String, CaseIterable, SettingValue, ExpressibleByArgument {
    /// Time, level, `name=value` pairs and the message.
    case text
    /// A JSON object.
    case json

    init?(setting text: String) { self.init(rawValue: text) }

    init?(argument: String) { self.init(rawValue: argument) }

    static var expectation: String { "text or json" }
  }

  var form = Form.text
  /// Whether a line begins with its level as the journal of systemd reads it (sd-daemon(3)).
  var hasPriority = false

  /// The format of text.
  init() {}

  /// - Parameter environment: tells whether standard error is connected to the journal.
  init(_ form: Form, _ environment: Environment) {
    self.form = form
    var status = stat()
    guard let stream = environment.variables["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0 else {
      return
    }
    // As systemd.exec(5) recommends, since standard error may have been redirected.
    hasPriority = stream == "\(status.st_dev):\(status.st_ino)"
  }
}
