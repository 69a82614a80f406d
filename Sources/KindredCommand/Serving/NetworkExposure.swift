import KindredAPI
import KindredHTTP

/// What a server offers to other machines than its own, for the log of its start and `kindred serve --check`.
struct NetworkExposure {
  let place: ListeningPlace
  /// Whether connections are encrypted.
  let hasTLS: Bool
  /// Whether a proxy is named, which may encrypt the connections of clients.
  let trustsProxies: Bool
  let isWritable: Bool
  /// Whether rules of the model file or roles of the database decide what clients may do.
  let hasRules: Bool

  init(
    of command: ServeCommand, at place: ListeningPlace, _ access: AccessConfiguration?,
    _ model: ModelDefinition
  ) {
    self.place = place
    hasTLS = command.server.tls != nil
    trustsProxies = command.server.service.trustedProxies != nil
    isWritable = command.server.everyday.writable
    hasRules = model.hasAccess || access?.databaseRoles != nil
  }

  /// What may not be intended, one line each.
  var warnings: [String] {
    [unencrypted, unrestricted].compactMap { $0 }
  }

  /// Returns what everybody may do, one line each, but for what the warnings say.
  func notices(of service: KindredService) -> [String] { unrestricted == nil ? service.notices : [] }

  /// Whether clients of other machines can connect.
  private var isBeyondThisMachine: Bool {
    if case .path = place { return false }
    return !place.isLoopback
  }

  private var unencrypted: String? {
    guard isBeyondThisMachine, !hasTLS, !trustsProxies else { return nil }
    return
      "other machines connect without TLS, so tokens and answers can be read on the way: set --tls-certificate and --tls-key, name the proxy that has TLS in --trusted-proxies, or listen on 127.0.0.1"
  }

  private var unrestricted: String? {
    guard isBeyondThisMachine, !hasRules else { return nil }
    return
      "other machines can connect, and there is no `access` in a model file: everybody may \(isWritable ? "read and write" : "read") everything"
  }
}
