import KindredModel
import KindredPlanning
import KindredHTTP
import KindredRequests
import OrderedCollections

/// Answers requests of editors and the explorer (docs/tools.md), and draws the model.
package struct ToolsService: Sendable {
  let limits: RequestLimits
  let cursors: CursorCoding
  let queryTime: Double?
  let basePath: BasePath

  package init(limits: RequestLimits, cursors: CursorCoding, queryTime: Double?, basePath: BasePath) {
    self.limits = limits
    self.cursors = cursors
    self.queryTime = queryTime
    self.basePath = basePath
  }

  /// Answers `/-/complete`.
  package func completions(_ parameters: ToolParameters, in model: Model) throws -> Representation {
    let url = try parameters.required("url")
    let position = try parameters.integer("position", 0...url.unicodeScalars.count)
    let items = Completer(model: model, limits: limits).completions(of: url, at: position)
    return Representation(.array(items.map(\.json)))
  }

  /// Answers `/-/describe`.
  package func description(
    _ request: HTTPRequest, _ parameters: ToolParameters, in model: Model, _ dialect: Dialect,
    for standing: [UInt8]
  ) throws -> Representation {
    let url = try parameters.required("url")
    let description = try RequestDescription(
      url, in: model, dialect, limits: limits, cursors: (cursors, standing),
      within: AnalysisTime(seconds: queryTime, request.cancellation))
    return Representation(description.json)
  }

  /// Answers `/-/diagram.svg`.
  package func diagramSVG(_ parameters: ToolParameters, of model: Model) throws -> Representation {
    var representation = Representation(
      DiagramSVG.mediaType, Array(DiagramSVG(try diagram(parameters, of: model), below: basePath).text.utf8))
    // Opened directly, an SVG image is a document that could run scripts; this policy forbids everything.
    representation.headers.append("Content-Security-Policy", "default-src 'none'")
    return representation
  }

  /// Answers `/-/diagram.mmd`.
  package func diagramMermaid(_ parameters: ToolParameters, of model: Model) throws -> Representation {
    Representation(
      DiagramMermaid.mediaType, Array(DiagramMermaid(diagram: try diagram(parameters, of: model)).text.utf8))
  }

  private func diagram(_ parameters: ToolParameters, of model: Model) throws -> Diagram {
    let diagram = Diagram(model)
    guard let center = parameters["around"] else {
      guard parameters["depth"] == nil else {
        throw RequestError(
          .invalidValue, "`depth` needs a central table; add `around=…`", at: Origin(parameter: "depth")
        )
      }
      return diagram
    }
    let depth = parameters["depth"] == nil ? 1 : try parameters.integer("depth", 0...1000)
    guard diagram.entities[center] != nil else {
      throw RequestError.unknown(
        center, .unknownResource, "there is no resource `\(center)`", among: diagram.entities.keys,
        at: Origin(parameter: "around"))
    }
    return diagram.around(center, depth: depth)
  }
}
