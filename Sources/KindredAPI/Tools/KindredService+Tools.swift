import KindredAssociations
import KindredHTTP
import OrderedCollections

/// Tools for editors and the explorer (§14 of the contract).
extension KindredService {
  /// Answers `/-/complete`.
  func completions(_ request: HTTPRequest, in model: Model) throws -> Representation {
    let parameters = try ToolParameters(request, ["url", "position"])
    let url = try parameters.required("url")
    let position = try parameters.integer("position", 0...url.unicodeScalars.count)
    let items = Completer(model: model, limits: options.limits).completions(of: url, at: position)
    return Representation(.array(items.map(\.json)))
  }

  /// Answers `/-/describe`.
  func description(
    _ request: HTTPRequest, in model: Model, for principal: Principal
  ) throws -> Representation {
    let url = try ToolParameters(request, ["url"]).required("url")
    let description = try RequestDescription(
      url, model: model, limits: options.limits, cursors: (cursors, principal.standing),
      within: AnalysisTime(seconds: options.queryTime, request.cancellation))
    return Representation(description.json)
  }
}

/// Documents of the model.
extension KindredService {
  /// Answers `/-/diagram.svg`.
  func diagramSVG(_ request: HTTPRequest, of model: Model) throws -> Representation {
    var representation = Representation(
      DiagramSVG.mediaType, Array(DiagramSVG(try diagram(request, of: model)).text.utf8))
    // Opened directly, an SVG image is a document that could run scripts; this policy forbids everything.
    representation.headers.append("Content-Security-Policy", "default-src 'none'")
    return representation
  }

  /// Answers `/-/diagram.mmd`.
  func diagramMermaid(_ request: HTTPRequest, of model: Model) throws -> Representation {
    Representation(
      DiagramMermaid.mediaType, Array(DiagramMermaid(diagram: try diagram(request, of: model)).text.utf8))
  }

  private func diagram(_ request: HTTPRequest, of model: Model) throws -> Diagram {
    let parameters = try ToolParameters(request, ["around", "depth"])
    let diagram = Diagram(model)
    guard let center = parameters["around"] else {
      guard parameters["depth"] == nil else {
        throw RequestError(
          .invalidValue, "`depth` needs a table to count from: add `around=…`", at: Origin(parameter: "depth")
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

/// The parameters of a tool, each at most once.
struct ToolParameters {
  private let values: [String: String]

  /// - Throws: `RequestError` for a parameter that isn't in `names` or is repeated.
  init(_ request: HTTPRequest, _ names: [String]) throws {
    var values: [String: String] = [:]
    for parameter in try QueryParameters(request.query.map(String.init)).parameters {
      guard names.contains(parameter.name) else {
        throw RequestError.unknown(
          parameter.name, .unknownParameter, "there is no parameter `\(parameter.name)` here", among: names,
          at: parameter.origin)
      }
      guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
        throw RequestError(
          .invalidValue, "`\(parameter.name)` is given twice: leave one out", at: parameter.origin)
      }
    }
    self.values = values
  }

  subscript(name: String) -> String? { values[name] }

  /// - Throws: `RequestError` if the parameter is missing.
  func required(_ name: String) throws -> String {
    guard let value = values[name] else {
      throw RequestError(
        .invalidValue, "`\(name)` is missing: add `\(name)=…`", at: Origin(parameter: name))
    }
    return value
  }

  /// - Throws: `RequestError` if the parameter is missing, not a number, or out of range.
  func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int {
    guard let value = Int(try required(name)), range.contains(value) else {
      throw RequestError(
        .invalidValue, "`\(name)` is a number from \(range.lowerBound) to \(range.upperBound)",
        at: Origin(parameter: name))
    }
    return value
  }
}
