import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests by `URLSession`, whose parts of contents are passed on as they arrive.
///
/// The asynchronous methods of `URLSession` that do the same don't exist on Linux.
///
/// A redirection isn't followed, since the token would be sent to another host: it is the answer to the request, which
/// its status refuses. Each live sequence keeps a connection, so a host may have many at the same time; with the
/// default number, a few sequences would block all further requests.
final class URLSessionTransport: NSObject, URLSessionDataDelegate {
  static let shared = URLSessionTransport()

  /// What waits for the answer to a request.
  private struct Exchange {
    var head: CheckedContinuation<RemoteResponse, any Error>?
    /// The content, until the answer has it: it is cancelled as soon as no reader owns it.
    var stream: AsyncThrowingStream<[UInt8], any Error>?
    let content: ReceivedContent
  }

  /// How many connections to a host there may be at the same time.
  private static let maximumConnectionsPerHost = 1000

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
    let task = SessionTask(of: started().dataTask(with: message))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { head in
        let content = ReceivedContent { task.cancel() }
        exchanges.withLock {
          $0[task.number] = Exchange(head: head, stream: content.parts, content: content)
        }
        // Where it has been cancelled before, there was no exchange to end.
        if Task.isCancelled { cancel(task) } else { task.resume() }
      }
    } onCancel: {
      cancel(task)
    }
  }

  /// Cancels a request, and ends its exchange at once: a task that has not been resumed may never report its end.
  private func cancel(_ task: SessionTask) {
    task.cancel()
    guard let ended = exchanges.withLock({ $0.removeValue(forKey: task.number) }) else { return }
    ended.content.finish(throwing: CancellationError())
    ended.head?.resume(throwing: CancellationError())
  }

  /// A task of the session, whose methods any thread may call.
  private struct SessionTask: @unchecked Sendable {
    let task: URLSessionDataTask

    init(of task: URLSessionDataTask) { self.task = task }

    var number: Int { task.taskIdentifier }
    func resume() { task.resume() }
    func cancel() { task.cancel() }
  }

  private func started() -> URLSession {
    session.withLock { session in
      if let session { return session }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpMaximumConnectionsPerHost = Self.maximumConnectionsPerHost
      let made = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
      session = made
      return made
    }
  }

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let (status, headers) = Self.head(of: response)
    let waiting = exchanges.withLock { exchanges -> Exchange? in
      let waiting = exchanges[dataTask.taskIdentifier]
      exchanges[dataTask.taskIdentifier]?.head = nil
      exchanges[dataTask.taskIdentifier]?.stream = nil
      return waiting
    }
    if let head = waiting?.head, let stream = waiting?.stream {
      head.resume(returning: RemoteResponse(status: status, headers: headers, body: stream))
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchanges.withLock { $0[dataTask.taskIdentifier] }?.content.receive([UInt8](data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let ended = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    let error = (error as? URLError)?.code == .cancelled ? CancellationError() : error
    ended.content.finish(throwing: error)
    guard let head = ended.head, let stream = ended.stream else { return }
    if let error {
      head.resume(throwing: error)
    } else if let response = task.response {
      let (status, headers) = Self.head(of: response)
      head.resume(returning: RemoteResponse(status: status, headers: headers, body: stream))
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
