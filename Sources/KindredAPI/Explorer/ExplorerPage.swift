import KindredHTTP
import KindredOutput

/// A page for browsers: complete by itself, and better with the explorer's scripts.
struct ExplorerPage {
  /// Not escaped.
  let title: String
  /// The request as received, or where the page is; nil for pages that are no request.
  var target: String?
  /// Whether the records are one record.
  var isSingle = false
  /// Whether its records may be changed, as far as the server as a whole is concerned.
  var isWritable = false
  /// The first page and the next one, by the names of their relation; not escaped.
  var links: [(name: String, target: String)] = []
  /// The whole result in other formats, by their names; not escaped.
  var downloads: [(name: String, target: String)] = []

  /// What a page may do (<https://www.w3.org/TR/CSP3/>): show itself, and ask this server.
  ///
  /// Whatever the database holds, it is text.
  static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].joined(separator: "; ")

  /// Everything before the content.
  var header: String {
    let title = title.escapedForHTML
    let assets = ExplorerAssets.shared.path
    let kind = (isSingle ? " class=\"single\"" : "") + (isWritable ? " data-writable" : "")
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="color-scheme" content="light dark"><title>\(title) · Kindred</title>
      <link rel="icon" href="\(assets)/icon.svg"><link rel="stylesheet" href="\(assets)/explorer.css">
      <script src="\(assets)/theme.js"></script><script type="module" src="\(assets)/explorer.js"></script></head>
      <body><a class="skip" href="#data">Skip to data</a>
      <header><a class="home" href="/">Resources</a><h1 translate="no">\(title)</h1></header>
      <main id="data" tabindex="-1"\(kind)>

      """
  }

  /// Everything behind it.
  var footer: String {
    var content = ""
    if !links.isEmpty {
      let items = links.map { name, target in
        "<a rel=\"\(name.escapedForHTML)\" href=\"\(target.escapedForHTML)\">\(name.escapedForHTML)</a>"
      }
      content += "<nav aria-label=\"Pages\">\(items.joined(separator: " "))</nav>"
    }
    if !downloads.isEmpty {
      let items = downloads.map { name, target in
        "<a download href=\"\(target.escapedForHTML)\">\(name.escapedForHTML)</a>"
      }
      content += "<nav aria-label=\"Downloads\">\(items.joined(separator: " "))</nav>"
    }
    return "\n</main>\n<footer>\(content)</footer></body></html>\n"
  }
}

extension Representation {
  /// A page around a part of HTML.
  init(_ page: ExplorerPage, _ content: String) {
    self.init(MediaType.html.field, Array((page.header + content + page.footer).utf8))
    headers.append("Content-Security-Policy", ExplorerPage.policy)
    headers.append("Referrer-Policy", "same-origin")
  }
}
