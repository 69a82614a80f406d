import KindredModel
import KindredOutput
import KindredRequests
import OrderedCollections

/// A diagram as SVG 1.1 (<https://www.w3.org/TR/SVG11/>), with a link around each box and a path for each column of a
/// foreign key.
///
/// Colours are presentation attributes, which a page's style sheet can override through the classes.
struct DiagramSVG {
  static let mediaType = "image/svg+xml"

  private let diagram: Diagram
  private let layout: DiagramLayout
  private let basePath: BasePath

  init(_ diagram: Diagram, below basePath: BasePath = .root) {
    self.diagram = diagram
    self.basePath = basePath
    layout = DiagramLayout(diagram)
  }

  var text: String {
    let size =
      "width=\"\(layout.width)\" height=\"\(layout.height)\" viewBox=\"0 0 \(layout.width) \(layout.height)\""
    return """
      <svg xmlns="http://www.w3.org/2000/svg" \(size) class="diagram" role="group" aria-label="Diagram" \
      font-family="ui-monospace, monospace" font-size="12">
      \(diagram.entities.values.map(box).joined())\(diagram.relations.map(lines).joined())</svg>

      """
  }

  // MARK: Boxes

  private func box(_ entity: Diagram.Entity) -> String {
    guard let box = layout.boxes[entity.name] else { return "" }
    let name = Self.escape(entity.name)
    let rows = entity.columns.enumerated().map { number, column in row(column, number, of: entity, in: box) }
    let line = box.y + DiagramLayout.headerHeight
    return """
      <a class="table" href="\(basePath.text)/\(Self.escape(URLCoding.encodeSegment(entity.name)))" aria-label="\(name)">\
      <rect class="box" x="\(box.x)" y="\(box.y)" width="\(box.width)" height="\(box.height)" rx="4" fill="#ffffff" \
      stroke="#8a8f98"/>\
      <path class="rule" d="M\(box.x) \(line)H\(box.right)" stroke="#8a8f98" fill="none"/>\
      <text class="name" x="\(box.x + 10)" y="\(box.y + 16)" font-weight="bold" fill="#1b1d21">\
      \(Self.escape(Self.cut(entity.name)))</text>
      \(rows.joined())</a>

      """
  }

  private func row(
    _ column: Column, _ number: Int, of entity: Diagram.Entity, in box: DiagramLayout.Box
  ) -> String {
    let y = Self.middle(of: number, in: box) + 4
    let kind = entity.key.contains(column.name) ? "column key" : "column"
    let type =
      column.declaredType.isEmpty
      ? ""
      : """
      <text class="type" x="\(box.right - 10)" y="\(y)" text-anchor="end" fill="#6b7078">\
      \(Self.escape(Self.cut(column.declaredType)))</text>
      """
    return """
      <text class="\(kind)" x="\(box.x + 10)" y="\(y)" fill="#1b1d21"\
      \(kind == "column" ? "" : " text-decoration=\"underline\"")>\(Self.escape(Self.cut(column.name)))</text>\(type)

      """
  }

  /// Returns the y coordinate of a row's middle.
  private static func middle(of row: Int, in box: DiagramLayout.Box) -> Int {
    box.y + DiagramLayout.headerHeight + row * DiagramLayout.rowHeight + DiagramLayout.rowHeight / 2 + 1
  }

  // MARK: Lines

  private func lines(_ relation: Diagram.Relation) -> String {
    guard let origin = layout.boxes[relation.origin], let destination = layout.boxes[relation.destination]
    else { return "" }
    let pairs = Array(zip(relation.originColumns, relation.destinationColumns))
    guard !pairs.isEmpty else {
      return line(
        relation, (relation.origin, origin, origin.y + DiagramLayout.headerHeight / 2),
        (relation.destination, destination, destination.y + DiagramLayout.headerHeight / 2))
    }
    return pairs.map { from, to in
      line(
        relation, ("\(relation.origin).\(from)", origin, height(of: from, in: relation.origin, origin)),
        ("\(relation.destination).\(to)", destination, height(of: to, in: relation.destination, destination)))
    }.joined()
  }

  private func height(of column: String, in entity: String, _ box: DiagramLayout.Box) -> Int {
    let number = diagram.entities[entity]?.columns.firstIndex { $0.name == column }
    return number.map { Self.middle(of: $0, in: box) } ?? box.y + DiagramLayout.headerHeight / 2
  }

  /// Returns a curve between the sides of two boxes, with a crow's foot if many records refer to one.
  private func line(
    _ relation: Diagram.Relation, _ from: (name: String, box: DiagramLayout.Box, y: Int),
    _ to: (name: String, box: DiagramLayout.Box, y: Int)
  ) -> String {
    let start: Int, end: Int, first: Int, last: Int
    if from.box.right < to.box.x {
      (start, end) = (from.box.right, to.box.x)
      let bend = max((end - start) / 2, 24)
      (first, last) = (start + bend, end - bend)
    } else if to.box.right < from.box.x {
      (start, end) = (from.box.x, to.box.right)
      let bend = max((start - end) / 2, 24)
      (first, last) = (start - bend, end + bend)
    } else {
      (start, end) = (from.box.right, to.box.right)
      let bend = max(start, end) + 40
      (first, last) = (bend, bend)
    }
    let outward = first > start ? 8 : -8
    let foot =
      relation.isUnique
      ? ""
      : """
      <path class="many" d="M\(start) \(from.y - 4)L\(start + outward) \(from.y)L\(start) \(from.y + 4)" fill="none" \
      stroke="#5c6470"/>
      """
    return """
      <path class="line" data-from="\(Self.escape(from.name))" data-to="\(Self.escape(to.name))" \
      d="M\(start) \(from.y)C\(first) \(from.y) \(last) \(to.y) \(end) \(to.y)" fill="none" stroke="#5c6470"\
      \(relation.isOptional ? " stroke-dasharray=\"4 3\"" : "")>\
      <title>\(Self.escape("\(from.name) → \(to.name)"))</title></path>\(foot)

      """
  }

  // MARK: Text

  private static func cut(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.count > DiagramLayout.maximumCharacters else { return text }
    return String(String.UnicodeScalarView(scalars.prefix(DiagramLayout.maximumCharacters - 1))) + "…"
  }

  /// Escapes a text for XML, replacing characters that XML doesn't allow (<https://www.w3.org/TR/xml/#charsets>).
  private static func escape(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      let isCharacter = scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
      return isCharacter ? scalar : "\u{FFFD}"
    }
    return String(String.UnicodeScalarView(scalars)).escapedForHTML
  }
}
