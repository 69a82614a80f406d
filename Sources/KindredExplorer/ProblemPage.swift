import KindredHTTP
import KindredOutput
import KindredRequests
import KindredTools

/// A problem as a page: what is wrong, the request with the wrong word marked, and links to corrected requests.
package struct ProblemPage {
  private let problem: Problem
  private let request: HTTPRequest
  /// The description of the request, if known.
  private let description: RequestDescription?
  private let basePath: BasePath

  package init(
    _ problem: Problem, _ request: HTTPRequest, _ description: RequestDescription?, below basePath: BasePath
  ) {
    self.problem = problem
    self.request = request
    self.description = description
    self.basePath = basePath
  }

  package var response: HTTPResponse {
    let page = ExplorerPage(request.target, below: basePath)
    var response = problem.response(MediaType.html.field, Array((page.header + content + page.footer).utf8))
    response.headers.append("Vary", "Accept, Accept-Encoding")
    response.headers.append("Content-Security-Policy", ExplorerPage.policy)
    response.headers.append("Referrer-Policy", "same-origin")
    return response
  }

  private var content: String {
    let code = problem.code.escapedForHTML
    var content = """
      <div role="alert" class="problem"><h2>\(problem.title.escapedForHTML)</h2>
      <p>\(problem.detail.shortened(to: Problem.longestDetail).escapedForHTML)</p>

      """
    if let description, let marked = MarkedRequest(request.target, problem, in: description) {
      let (before, word, after) = marked.parts
      content += """
        <p class="request" translate="no">\(before.escapedForHTML)<mark>\(word.escapedForHTML)</mark>\(after.escapedForHTML)</p>

        """
      let links = problem.suggestions.map { suggestion in
        "<a href=\"\(basePath.text)\(marked.replacing(with: suggestion).escapedForHTML)\">\(suggestion.escapedForHTML)</a>"
      }
      if !links.isEmpty { content += "<p class=\"mends\">\(links.joined(separator: " "))</p>\n" }
    }
    return content + """
      <p><small>\(problem.status.code) <a href="\(basePath.text)\(Problem.descriptions)#\(code)">\(code)</a></small></p></div>
      """
  }
}
