import KindredOutput
import KindredRequests

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
