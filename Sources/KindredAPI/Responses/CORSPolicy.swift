import KindredHTTP

/// Which pages of other origins may use the service from browsers (Fetch standard, "CORS protocol").
public struct CORSPolicy: Sendable {
  /// Who may.
  public enum Origins: Sendable, Hashable {
    /// Pages of any origin, without credentials.
    case any
    /// Pages of these origins, each written as browsers do: `https://example.org`, with a port where it is not the
    /// scheme's own.
    case these(Set<String>)
  }

  /// Who may use the service.
  public let origins: Origins
  /// The methods they may use.
  public let methods: [String]
  /// The request header fields that they may set.
  public let headers: [String]
  /// The response header fields that they may read.
  public let exposedHeaders: [String]
  /// For how many seconds a browser may remember this.
  public let maxAge: Int
  /// Whether cookies and the browser's own authentication go with requests; only for named origins.
  public let allowsCredentials: Bool

  /// A policy; nil where it asks for credentials from any origin, which would hand every user's data to every page.
  public init?(
    origins: Origins,
    methods: [String] = ["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE"],
    headers: [String] = [
      "Accept", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match",
      "Last-Event-ID",
      "Prefer", "Traceparent", "Tracestate",
    ],
    exposedHeaders: [String] = [
      "Accept-Patch", "Accept-Post", "Accept-Query", "Allow", "ETag", "Link", "Location",
      "Preference-Applied", "Retry-After",
      "Server-Timing", "X-Total-Count",
    ],
    maxAge: Int = 600, allowsCredentials: Bool = false
  ) {
    guard origins != .any || !allowsCredentials else { return nil }
    self.origins = origins
    self.methods = methods
    self.headers = headers
    self.exposedHeaders = exposedHeaders
    self.maxAge = max(0, maxAge)
    self.allowsCredentials = allowsCredentials
  }

  /// Adds what a browser has to know to an answer, whether it is one of success or not.
  func apply(to response: inout HTTPResponse, for request: HTTPRequest) {
    let isPreflight = Self.isPreflight(request)
    var varies: [String] = []
    if origins != .any { varies.append("Origin") }
    if isPreflight { varies += ["Access-Control-Request-Method", "Access-Control-Request-Headers"] }
    if !varies.isEmpty {
      // Also where there is no origin: a cache must not give this answer to a page that has one.
      let all = response.headers.values(for: "Vary") + varies
      response.headers.set("Vary", all.joined(separator: ", "))
    }
    guard let origin = request.headers["Origin"], let allowed = allowedOrigin(origin) else { return }
    allow(allowed, in: &response)
    if isPreflight {
      response.headers.append("Access-Control-Allow-Methods", methods.joined(separator: ", "))
      response.headers.append("Access-Control-Allow-Headers", headers.joined(separator: ", "))
      response.headers.append("Access-Control-Max-Age", String(maxAge))
    } else if !exposedHeaders.isEmpty {
      response.headers.append("Access-Control-Expose-Headers", exposedHeaders.joined(separator: ", "))
    }
  }

  /// Adds what a browser has to know to the answer to a request whose fields could not be read.
  ///
  /// With several origins, nobody knows which of them sent it: then the page learns no more than that it failed.
  func applyWithoutOrigin(to response: inout HTTPResponse) {
    switch origins {
    case .any:
      allow("*", in: &response)
    case .these(let origins):
      response.headers.append("Vary", "Origin")
      if let origin = origins.first, origins.count == 1 { allow(origin, in: &response) }
    }
  }

  private func allow(_ origin: String, in response: inout HTTPResponse) {
    response.headers.append("Access-Control-Allow-Origin", origin)
    if allowsCredentials { response.headers.append("Access-Control-Allow-Credentials", "true") }
  }

  /// Whether pages of this origin may use the service.
  func allows(_ origin: String) -> Bool { allowedOrigin(origin) != nil }

  private func allowedOrigin(_ origin: String) -> String? {
    switch origins {
    case .any: "*"
    case .these(let origins): origins.contains(origin) ? origin : nil
    }
  }

  /// A question of a browser before the request itself (Fetch standard, "CORS-preflight request").
  private static func isPreflight(_ request: HTTPRequest) -> Bool {
    request.method == .options && request.headers["Access-Control-Request-Method"] != nil
  }
}
