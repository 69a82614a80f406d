import KindredHTTP
import KindredOutput
import KindredRequests
import KindredModel

/// A page for browsers, complete without scripts and enhanced by the explorer's.
package struct ExplorerPage {
  /// What its links begin with; no URL writes its characters otherwise, so it is never escaped.
  let basePath: BasePath
  /// The unescaped title.
  let title: String
  /// Whether the page shows a single record.
  var isSingle = false
  /// Whether the server allows writing.
  var isWritable = false
  /// Links to the first and the next page, with their relations as names; unescaped.
  package var links: [(name: String, target: String)] = []
  /// Links to the whole result in other formats.
  var downloads: [Download] = []

  /// A link to the whole result in another format.
  struct Download {
    let format: String
    /// Unescaped.
    let target: String
    /// The number of records that the format may have, if there may be more.
    var most: Int64?
  }

  /// The content security policy (<https://www.w3.org/TR/CSP3/>): pages may use only their own resources and this
  /// server.
  ///
  /// Content of the database is never executed: it is only text.
  package static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].joined(separator: "; ")

  /// The HTML before the content.
  package var header: String {
    let title = title.escapedForHTML
    let base = basePath.text
    let assets = base + ExplorerAssets.shared.path
    let scripts =
      ExplorerAssets.shared.startingScripts
      + (isWritable ? ExplorerAssets.shared.editingScripts : [])
    let preloads = scripts.map { "<link rel=\"modulepreload\" href=\"\(base)\($0)\">" }.joined()
    let kind = (isSingle ? " class=\"single\"" : "") + (isWritable ? " data-writable" : "")
    return """
      <!doctype html>
      <html lang="en"\(base.isEmpty ? "" : " data-base=\"\(base)\"")><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
      <meta name="color-scheme" content="light dark"><title>\(title) · Kindred</title>
      <link rel="icon" href="\(assets)/icon.svg"><link rel="stylesheet" href="\(assets)/explorer.css">\
      <link rel="stylesheet" href="\(assets)/editing.css">
      <script src="\(assets)/theme.js"></script><script type="module" src="\(assets)/explorer.js"></script>\(preloads)</head>
      <body><a class="skip" href="#data">Skip to data</a>
      <header><a class="home" href="\(base)/">Resources</a><h1 translate="no">\(title)</h1></header>
      <main id="data" tabindex="-1"\(kind)>

      """
  }

  /// The HTML after the content.
  package var footer: String {
    var content = ""
    if !links.isEmpty {
      let items = links.map { name, target in
        "<a rel=\"\(name.escapedForHTML)\" href=\"\(basePath.text)\(target.escapedForHTML)\">\(name == "prev" ? "previous" : name.escapedForHTML)</a>"
      }
      content += "<nav aria-label=\"Pages\">\(items.joined(separator: " "))</nav>"
    }
    if !downloads.isEmpty {
      let items = downloads.map { download in
        let most = download.most.map { " <small>first \($0)</small>" } ?? ""
        return
          "<a download href=\"\(basePath.text)\(download.target.escapedForHTML)\">\(download.format)</a>\(most)"
      }
      content += "<nav aria-label=\"Downloads\">\(items.joined(separator: " "))</nav>"
    }
    return "\n</main>\n<footer>\(content)</footer></body></html>\n"
  }
}

extension Representation {
  /// Creates the representation of a page around HTML content.
  package init(_ page: ExplorerPage, _ content: String) {
    self.init(MediaType.html.field, Array((page.header + content + page.footer).utf8))
    headers.append("Content-Security-Policy", ExplorerPage.policy)
    headers.append("Referrer-Policy", "same-origin")
  }
}

extension ExplorerPage {
  /// Creates the page of a request for records.
  ///
  /// - Parameter target: The target of the request as received.
  package init(_ target: String, below basePath: BasePath, isSingle: Bool = false, isWritable: Bool = false) {
    self.init(
      basePath: basePath, title: URLCoding.readable(target), isSingle: isSingle, isWritable: isWritable)
  }

  /// Adds links to the whole result in other formats, of which JSON may have only as many records as a page; links that
  /// would be too long are left out.
  ///
  /// - Parameters:
  ///   - isTabular: Whether the result can be written as CSV.
  ///   - pageSize: The largest number of records in JSON; nil for any number.
  ///   - hasMore: Whether records follow after this page.
  ///   - url: Makes a URL of parameters.
  package mutating func addDownloads(
    of query: URLQuery, isTabular: Bool, pageSize: Int64?, hasMore: Bool, by url: ([String]) -> String?
  ) {
    let kept = query.pairs(without: ["limit", "offset", "after", "format"])
    let limit = isSingle ? [] : pageSize.map { ["limit=\($0)"] } ?? []
    let isWhole = limit.isEmpty || !hasMore && !query.parameters.contains(where: query.isPlace)
    var formats = [("JSON", limit + ["format=json"], isWhole ? nil : pageSize)]
    // Who downloads by a browser is likely to open the file in Excel.
    if isTabular { formats.append(("CSV", ["format=csv-bom"], nil)) }
    formats.append(("NDJSON", ["format=ndjson"], nil))
    downloads = formats.compactMap { format, more, most in
      url(kept.map(String.init) + more).map { Download(format: format, target: $0, most: most) }
    }
  }
}
