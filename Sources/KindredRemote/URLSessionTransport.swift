import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests by `URLSession`, whose parts of contents are passed on as they arrive.
///
/// The asynchronous methods of `URLSession` that do the same don't exist on Linux.
final class URLSessionTransport: NSObject, URLSessionDataDelegate {
  static let shared = URLSessionTransport()

  /// What waits for the answer to a request.
  private struct Exchange {
    var head: CheckedContinuation<RemoteResponse, any Error>?
    let body: AsyncThrowingStream<[UInt8], any Error>.Continuation
    let stream: AsyncThrowingStream<[UInt8], any Error>
  }

  private let exchanges = Mutex<[Int: Exchange]>([:])
  /// Made on first use, since it refers to its delegate, which is this object.
  private let session = Mutex<URLSession?>(nil)

  func send(_ request: RemoteRequest) async throws -> RemoteResponse {
    var message = URLRequest(url: request.url)
    message.httpMethod = request.method
    message.httpBody = request.body.map { Data($0) }
    // The server's tags decide what is new.
    message.cachePolicy = .reloadIgnoringLocalCacheData
    for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
    let task = Task(of: started().dataTask(with: message))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { head in
        let (stream, body) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        body.onTermination = { end in
          if case .cancelled = end { task.cancel() }
        }
        exchanges.withLock { $0[task.number] = Exchange(head: head, body: body, stream: stream) }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// A task of the session, whose methods any thread may call.
  private struct Task: @unchecked Sendable {
    let task: URLSessionDataTask

    init(of task: URLSessionDataTask) { self.task = task }

    var number: Int { task.taskIdentifier }
    func resume() { task.resume() }
    func cancel() { task.cancel() }
  }

  private func started() -> URLSession {
    session.withLock { session in
      if let session { return session }
      let configuration = URLSessionConfiguration.default
      configuration.urlCache = nil
      let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      session = made
      return made
    }
  }

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let (status, headers) = Self.head(of: response)
    let waiting = exchanges.withLock { exchanges -> Exchange? in
      defer { exchanges[dataTask.taskIdentifier]?.head = nil }
      return exchanges[dataTask.taskIdentifier]
    }
    if let waiting {
      waiting.head?.resume(returning: RemoteResponse(status: status, headers: headers, body: waiting.stream))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchanges.withLock { $0[dataTask.taskIdentifier] }?.body.yield([UInt8](data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let ended = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    let error = (error as? URLError)?.code == .cancelled ? CancellationError() : error
    ended.body.finish(throwing: error)
    guard let head = ended.head else { return }
    if let error {
      head.resume(throwing: error)
    } else if let response = task.response {
      let (status, headers) = Self.head(of: response)
      head.resume(returning: RemoteResponse(status: status, headers: headers, body: ended.stream))
    } else {
      head.resume(throwing: RemoteError.malformedAnswer("it is empty"))
    }
  }

  private static func head(of response: URLResponse) -> (status: Int, headers: [String: String]) {
    guard let response = response as? HTTPURLResponse else { return (0, [:]) }
    let headers = response.allHeaderFields.compactMap { name, value in
      (name as? String).map { ($0, "\(value)") }
    }
    return (response.statusCode, Dictionary(headers, uniquingKeysWith: { first, _ in first }))
  }
}
