/// What proxies say of a request (RFC 7239): an element for each, the latest last.
struct Forwarded {
  private let elements: [[String: String]]

  /// - Parameter fields: The values of `Forwarded`. A malformed element and what precedes it are ignored: they can only be
  ///   the client's, as proxies add theirs after it.
  init(_ fields: [String]) {
    var scanner = FieldScanner(Array(fields.joined(separator: ",").utf8))
    elements = scanner.elements()
  }

  /// Returns what the outermost trusted proxy says of its client.
  ///
  /// Each proxy adds an element about the sender of the request, which is believed as long as the proxy is trusted.
  func trusted(by proxies: TrustedProxies) -> [String: String]? {
    var found: [String: String]?
    for element in elements.reversed() {
      found = element
      guard let address = element["for"].flatMap(Self.address), proxies.contains(address) else { break }
    }
    return found
  }

  /// Returns the address of a node (RFC 7239 §6): `192.0.2.1:80` or `[2001:db8::1]:80`, whose ports are optional; nil for
  /// `unknown` and names that hide the address.
  static func address(_ node: String) -> NetworkAddress? {
    if node.first == "[" {
      guard let end = node.firstIndex(of: "]") else { return nil }
      return NetworkAddress(String(node[node.index(after: node.startIndex)..<end]))
    }
    return NetworkAddress(String(node.prefix { $0 != ":" }))
  }
}

extension HTTPRequest {
  /// Takes the client, the host and the scheme from what trusted proxies say; for a request that came from one.
  mutating func takeForwarded(_ proxies: TrustedProxies) {
    let fields = headers.values(for: "Forwarded")
    isOfUnnamedClient = fields.isEmpty && headers["X-Forwarded-For"] != nil
    guard !fields.isEmpty, let said = Forwarded(fields).trusted(by: proxies) else { return }
    if let node = said["for"] {
      peer = node
      if let address = Forwarded.address(node) { client = address.client }
    }
    if let scheme = said["proto"]?.lowercased() { isSecure = scheme == "https" }
    if let host = said["host"], Self.isHost(host) { headers.set("Host", host) }
  }

  private static func isHost(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { RequestTarget.isHost(UnsafeRawBufferPointer($0)[...]) }
  }
}

extension FieldScanner {
  /// Reads `Forwarded = 1#( [ pair ] *( ";" [ pair ] ) )`.
  fileprivate mutating func elements() -> [[String: String]] {
    var elements: [[String: String]] = []
    while !isAtEnd {
      let start = rest
      if let element = element() {
        if !element.isEmpty { elements.append(element) }
      } else {
        elements = []
        // A quotation mark that isn't closed must not hide the next element.
        rest = start.drop { $0 != UInt8(ascii: ",") }
      }
      rest = rest.dropFirst()
    }
    return elements
  }

  /// Returns the element up to a comma; nil if it is malformed.
  private mutating func element() -> [String: String]? {
    var pairs: [String: String] = [:]
    while true {
      skipSpace()
      if let first = rest.first, first != UInt8(ascii: ","), first != UInt8(ascii: ";") {
        // RFC 7239 §4: a parameter occurs once.
        guard let name = token()?.lowercased(), take("="), let value = token() ?? quotedString(),
          !value.isEmpty, pairs.updateValue(value, forKey: name) == nil
        else { return nil }
        skipSpace()
      }
      guard let next = rest.first, next != UInt8(ascii: ",") else { return pairs }
      guard take(";") else { return nil }
    }
  }
}
