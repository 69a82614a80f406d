import KindredModel
import KindredOutput
import KindredRequests

/// The form of an action: a field for each parameter of the content, and a button that calls it.
///
/// Scripts send it, since the content of a call is JSON.
package struct ActionPage {
  private let action: Action
  private let basePath: BasePath

  package init(_ action: Action, below basePath: BasePath) {
    self.action = action
    self.basePath = basePath
  }

  package var representation: Representation {
    let page = ExplorerPage("/\(action.name)", below: basePath)
    let target = "\(basePath.text)/\(URLCoding.encodeSegment(action.name))"
    let fields = action.contentParameters.enumerated().map { number, parameter in
      let name = parameter.name.escapedForHTML
      let note = parameter.isRequired ? parameter.kind.rawValue : "\(parameter.kind.rawValue), optional"
      return
        "<p><label for=\"parameter-\(number)\">\(name)</label> \(field(of: parameter, id: "parameter-\(number)")) <small>\(note)</small></p>"
    }
    let content = """
      <form class="action" data-action="\(target.escapedForHTML)" aria-label="\(action.name.escapedForHTML)">
      \(fields.joined(separator: "\n"))
      <p><button type="submit">Call</button></p></form>
      <noscript><p>Calling an action needs scripts.</p></noscript>
      """
    return Representation(page, content)
  }

  private func field(of parameter: ActionParameter, id: String) -> String {
    let attributes =
      "id=\"\(id)\" name=\"\(parameter.name.escapedForHTML)\" data-type=\"\(parameter.kind.rawValue)\"\(parameter.isRequired ? " required" : "")"
    return switch parameter.kind {
    case .boolean:
      "<select \(attributes)><option value=\"\"></option><option>true</option><option>false</option></select>"
    case .json: "<textarea \(attributes) rows=\"3\"></textarea>"
    case .integer: "<input \(attributes) inputmode=\"numeric\">"
    case .real: "<input \(attributes) inputmode=\"decimal\">"
    case .text: "<input \(attributes)>"
    }
  }
}
