import KindredOutput
import KindredRequests

/// `/-/errors`: every code that a problem can have, and how to fix it.
package enum ErrorIndex {
  package static var json: JSONValue {
    .array(
      ErrorDescription.all.map {
        ["code": .string($0.code), "title": .string($0.title), "description": .string($0.text)]
      })
  }

  /// The index as a page for browsers; the `type` of a problem links to its entry.
  package static func page(below basePath: BasePath) -> Representation {
    let rows = ErrorDescription.all.map { error in
      """
      <dt id="\(error.code.escapedForHTML)"><code>\(error.code.escapedForHTML)</code></dt>
      <dd>\(error.title.escapedForHTML): \(error.text.escapedForHTML)</dd>

      """
    }
    return Representation(ExplorerPage(basePath: basePath, title: "Errors"), "<dl>\n\(rows.joined())</dl>")
  }
}
