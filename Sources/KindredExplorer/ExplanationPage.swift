import KindredOutput
import KindredRequests

/// The response to `explain=true` as a page for browsers without scripts.
package struct ExplanationPage {
  private let document: JSONValue
  private let target: String
  private let basePath: BasePath

  package init(_ document: JSONValue, of target: String, below basePath: BasePath) {
    self.document = document
    self.target = target
    self.basePath = basePath
  }

  package var representation: Representation {
    let page = ExplorerPage(target, below: basePath)
    return Representation(page, content(of: document))
  }

  /// Returns a value as HTML: an object is a list of names and values, and texts keep their line breaks.
  private func content(of value: JSONValue) -> String {
    switch value {
    case .object(let members):
      let items = members.map { "<dt>\($0.escapedForHTML)</dt><dd>\(content(of: $1))</dd>" }
      return "<dl>\(items.joined())</dl>"
    case .array(let values):
      return "<ul>\(values.map { "<li>\(content(of: $0))</li>" }.joined())</ul>"
    case .text(let document):
      return "<code>\(String(decoding: document, as: UTF8.self).escapedForHTML)</code>"
    case .string(let text): return "<code>\(text.escapedForHTML)</code>"
    case .integer(let number): return String(number)
    case .real(let number): return String(number)
    case .bool(let value): return String(value)
    case .null: return "<i>null</i>"
    }
  }
}
