@testable import KindredHTTP

/// A state machine that is driven without a socket, whose actions are described as text.
struct ConnectionScript {
  var machine: ConnectionStateMachine
  private var pending: [UInt8] = []

  init(limits: HTTPLimits = HTTPLimits()) {
    machine = ConnectionStateMachine(limits: limits)
  }

  /// Returns the next action after these bytes have been received.
  mutating func receive(_ text: String = "") -> String {
    pending += Array(text.utf8)
    let (consumed, action) = pending.withUnsafeBytes { machine.receive($0) }
    pending.removeFirst(consumed)
    return Self.text(action)
  }

  /// Returns the framing of a response, which is then sent.
  mutating func answer(_ response: HTTPResponse) -> (framing: ResponseFraming, next: String) {
    let framing = machine.framing(for: response)
    return (framing, machine.outputSent().map(Self.text) ?? "go on")
  }

  /// Returns the next action after a timeout.
  mutating func timeOut() -> String { Self.text(machine.timedOut()) }

  private static func text(_ action: ConnectionStateMachine.Action) -> String {
    switch action {
    case .read: "read"
    case .consider(let head): "consider \(head.target)"
    case .keep(let part): "keep \(part.count)"
    case .sendContinue: "100"
    case .respond(let head, let content): "respond \(head.target) \(content.count)"
    case .refuse(let error): "refuse \(error.status.code)"
    case .linger: "linger"
    case .close: "close"
    }
  }
}
