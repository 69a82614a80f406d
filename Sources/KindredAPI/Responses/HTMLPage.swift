import KindredExecution

/// A plain page for browsers around a part of HTML.
struct HTMLPage {
  /// Not escaped.
  let title: String
  /// Where the page leads, by name; not escaped.
  var links: [(name: String, target: String)] = []

  var header: String {
    let title = title.escapedForHTML
    let navigation = ([("index", "/")] + links).map { name, target in
      "<a rel=\"\(name.escapedForHTML)\" href=\"\(target.escapedForHTML)\">\(name.escapedForHTML)</a>"
    }
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title)</title><style>\(Self.style)</style></head>
      <body><nav>\(navigation.joined(separator: " "))</nav><h1>\(title)</h1>

      """
  }

  var footer: String { "\n</body></html>\n" }

  private static let style = """
    body{font:14px/1.5 sans-serif;margin:1em}h1{font-size:1.2em;overflow-wrap:anywhere}\
    table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .5em;text-align:left;vertical-align:top}\
    dl{display:grid;grid-template-columns:max-content auto;gap:.1em 1em;margin:0}dd{margin:0}ul{margin:0}
    """

  /// What a page may do: show itself.
  ///
  /// Whatever the database holds, it is text (W3C, Content Security Policy).
  static let policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
