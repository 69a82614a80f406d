import Foundation
import KindredHTTP

/// The request was answered with an error, described by its problem document (RFC 9457) in one line.
struct RefusedRequest: Error, CustomStringConvertible {
  /// The members of the document that are shown.
  private struct Problem: Decodable {
    var title: String
    var detail: String
    var parameter: String?
    var line: Int?
  }

  let description: String
  let status: HTTPStatus

  /// - Parameter unit: what the problem's `line` counts.
  init(_ response: HTTPResponse, counting unit: String = "line") {
    status = response.status
    guard case .bytes(let bytes) = response.body,
      let problem = try? JSONDecoder().decode(Problem.self, from: Data(bytes))
    else {
      description = "the request failed with status \(response.status.code)"
      return
    }
    let place = problem.parameter.map { "\($0): " } ?? problem.line.map { "\(unit) \($0): " } ?? ""
    description = "\(response.status.code) \(problem.title): \(place)\(problem.detail)"
  }
}
