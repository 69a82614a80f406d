import KindredHTTP
import KindredOutput
import KindredRequests
import KindredTools
import KindredModel

extension Problem {
  /// Returns the problem as a page: what is wrong, the request with the wrong word marked, and links to corrected
  /// requests.
  ///
  /// - Parameter description: The description of the request, if known.
  package func page(
    of request: HTTPRequest, _ description: RequestDescription?, below basePath: BasePath
  ) -> HTTPResponse {
    let page = ExplorerPage(request.target, below: basePath)
    let marked = description.flatMap { MarkedRequest(request.target, self, in: $0) }
    let content = page.header + self.content(marked, below: basePath) + page.footer
    var response = self.response(MediaType.html.field, Array(content.utf8))
    response.headers.append("Vary", "Accept, Accept-Encoding")
    response.headers.append("Content-Security-Policy", ExplorerPage.policy)
    response.headers.append("Referrer-Policy", "same-origin")
    return response
  }

  private func content(_ marked: MarkedRequest?, below basePath: BasePath) -> String {
    let code = self.code.escapedForHTML
    var content = """
      <div role="alert" class="problem"><h2>\(title.escapedForHTML)</h2>
      <p>\(detail.shortened(to: Self.longestDetail).escapedForHTML)</p>

      """
    if let marked {
      let (before, word, after) = marked.parts
      content += """
        <p class="request" translate="no">\(before.escapedForHTML)<mark>\(word.escapedForHTML)</mark>\(after.escapedForHTML)</p>

        """
      let links = suggestions.map { suggestion in
        "<a href=\"\(basePath.text)\(marked.replacing(with: suggestion).escapedForHTML)\">\(suggestion.escapedForHTML)</a>"
      }
      if !links.isEmpty { content += "<p class=\"mends\">\(links.joined(separator: " "))</p>\n" }
    }
    return content + """
      <p><small>\(status.code) <a href="\(basePath.text)\(Self.descriptions)#\(code)">\(code)</a></small></p></div>
      """
  }
}

/// A request and the part of it that a problem is about.
struct MarkedRequest {
  /// The request as received.
  private let scalars: [Unicode.Scalar]
  /// The range of the word in the request.
  private let place: Range<Int>

  /// Returns nil if the problem doesn't refer to a part of the request.
  ///
  /// - Parameter description: The description of the request for its client.
  init?(_ target: String, _ problem: Problem, in description: RequestDescription) {
    scalars = Array(target.unicodeScalars)
    guard let place = description.place(of: problem), !place.isEmpty, place.upperBound <= scalars.count
    else { return nil }
    self.place = place
  }

  /// The request in readable form, in three parts.
  var parts: (before: String, word: String, after: String) {
    (
      URLCoding.readable(text(scalars[..<place.lowerBound])), URLCoding.readable(text(scalars[place])),
      URLCoding.readable(text(scalars[place.upperBound...]))
    )
  }

  /// Returns the request with another text in place of the word.
  func replacing(with text: String) -> String {
    URLCoding.encodeUnsafe(
      "\(self.text(scalars[..<place.lowerBound]))\(URLCoding.readableValue(text))\(self.text(scalars[place.upperBound...]))"
    )
  }

  private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}

extension ErrorDescription {
  /// The index as a page for browsers; the `type` of a problem links to its entry.
  package static func page(below basePath: BasePath) -> Representation {
    let rows = all.map { error in
      """
      <dt id="\(error.code.escapedForHTML)"><code>\(error.code.escapedForHTML)</code></dt>
      <dd>\(error.title.escapedForHTML): \(error.text.escapedForHTML)</dd>

      """
    }
    return Representation(ExplorerPage(basePath: basePath, title: "Errors"), "<dl>\n\(rows.joined())</dl>")
  }
}
