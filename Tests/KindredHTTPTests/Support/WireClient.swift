import Glibc

/// A client that sends and reads bytes, and waits at most a minute for each.
final class WireClient {
  struct Response: Equatable {
    var status: Int
    var headers: [String: String]
    var body: String
  }

  struct NotConnected: Error {}

  private let descriptor: CInt
  private var buffer: [UInt8] = []

  /// `receiveBuffer` limits how much the kernel accepts before it is read; `source` is an address of this machine.
  init(port: Int, receiveBuffer: CInt? = nil, from source: String = "127.0.0.1") throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var local = sockaddr_in()
    local.sin_family = address.sin_family
    local.sin_addr.s_addr = inet_addr(source)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    func call(_ function: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt, _ address: sockaddr_in) -> Bool
    {
      withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { function(descriptor, $0, length) == 0 }
      }
    }
    guard call({ bind($0, $1, $2) }, local), call({ connect($0, $1, $2) }, address) else {
      throw NotConnected()
    }
  }

  deinit { close(descriptor) }

  /// Sends text, ignoring the rest if the server has closed the connection.
  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends a request without content.
  func request(_ target: String, method: String = "GET", fields: String = "") {
    send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
  }

  /// Closes the sending direction.
  func endOutput() { shutdown(descriptor, CInt(SHUT_WR)) }

  /// Reads once; returns false at the end or on a timeout.
  @discardableResult
  func receive() -> Bool {
    var part = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &part, part.count, 0)
    guard count > 0 else { return false }
    buffer += part[..<count]
    return true
  }

  /// Returns the next response, or nil if the connection ends before it is complete.
  ///
  /// `hasContent` is false for HEAD.
  func response(hasContent: Bool = true) -> Response? {
    guard var head = line() else { return nil }
    let status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
    var headers: [String: String] = [:]
    while true {
      guard let next = line() else { return nil }
      head = next
      if head.isEmpty { break }
      let colon = head.firstIndex(of: ":") ?? head.endIndex
      headers[head[..<colon].lowercased()] = String(head[colon...].dropFirst(2))
    }
    guard hasContent, status >= 200, status != 204, status != 304 else {
      return Response(status: status, headers: headers, body: "")
    }
    return body(headers).map { Response(status: status, headers: headers, body: $0) }
  }

  private func body(_ headers: [String: String]) -> String? {
    if let length = headers["content-length"].flatMap({ Int($0) }) { return take(length) }
    guard headers["transfer-encoding"] == "chunked" else {
      while receive() {}
      return take(buffer.count)
    }
    var body = ""
    while let size = line().flatMap({ Int($0, radix: 16) }), let data = take(size), line() == "" {
      if size == 0 { return body }
      body += data
    }
    return nil
  }

  private func line() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end].dropLast(), as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line
      }
      guard receive() else { return nil }
    }
  }

  private func take(_ count: Int) -> String? {
    while buffer.count < count { guard receive() else { return nil } }
    defer { buffer.removeFirst(count) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  /// Returns whether the server closes the connection without sending more bytes.
  var isEnded: Bool {
    guard buffer.isEmpty else { return false }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    return count == 0 || (count < 0 && errno == ECONNRESET)
  }
}

/// Waits at most a minute until a condition holds.
func eventually(_ condition: () -> Bool) -> Bool {
  for _ in 0..<6000 {
    if condition() { return true }
    usleep(10_000)
  }
  return condition()
}
