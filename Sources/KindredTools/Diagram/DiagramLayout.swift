import KindredModel
import OrderedCollections

/// The layout of a diagram's boxes: connected boxes form a group with columns from left to right, and groups are placed
/// in rows.
///
/// No two boxes overlap, because each box has its own place in a column, each column in a group, and each group in a
/// row.
struct DiagramLayout {
  /// A rectangle in pixels.
  struct Box {
    let width: Int
    let height: Int
    var x = 0
    var y = 0

    var right: Int { x + width }
    var bottom: Int { y + height }
  }

  static let rowHeight = 18
  static let headerHeight = 24
  static let characterWidth = 7
  /// Longer names are truncated.
  static let maximumCharacters = 40
  private static let padding = 10
  private static let columnGap = 96
  private static let rowGap = 28
  private static let margin = 24

  private(set) var boxes: OrderedDictionary<String, Box> = [:]
  private(set) var width = 2 * margin
  private(set) var height = 2 * margin

  init(_ diagram: Diagram) {
    for entity in diagram.entities.values { boxes[entity.name] = Self.box(of: entity) }
    let neighbours = diagram.neighbours
    var groups = Self.groups(diagram.entities.keys, neighbours).map { group in
      Group(layers: Self.sorted(Self.layers(group, neighbours), neighbours), boxes: boxes)
    }
    // The largest first, so that groups of similar height share a row.
    groups.sort { ($0.height, $0.width) > ($1.height, $1.width) }
    place(groups)
  }

  private static func box(of entity: Diagram.Entity) -> Box {
    let lengths = entity.columns.map { length($0.name) + 2 + length($0.declaredType) }
    let characters = max(12, lengths.max() ?? 0, length(entity.name))
    return Box(
      width: characters * characterWidth + 2 * padding,
      height: headerHeight + entity.columns.count * rowHeight + padding / 2)
  }

  private static func length(_ text: String) -> Int { min(text.unicodeScalars.count, maximumCharacters) }

  // MARK: Groups and layers

  /// Returns the groups of connected entities, in the order of the entities.
  private static func groups(
    _ names: OrderedSet<String>, _ neighbours: [String: [String]]
  ) -> [[String]] {
    var seen: Set<String> = []
    return names.compactMap { name in
      guard seen.insert(name).inserted else { return nil }
      var group = [name]
      var next = 0
      while next < group.count {
        group += (neighbours[group[next]] ?? []).filter { seen.insert($0).inserted }
        next += 1
      }
      return group
    }
  }

  /// Returns the entities of a group in layers by their distance from the one with the most neighbours, so that
  /// neighbours are in the same or adjacent layers.
  private static func layers(_ group: [String], _ neighbours: [String: [String]]) -> [[String]] {
    let degree = { (name: String) in neighbours[name]?.count ?? 0 }
    guard var center = group.first else { return [] }
    for name in group where degree(name) > degree(center) { center = name }
    var seen: Set<String> = [center]
    var layers = [[center]]
    while let last = layers.last {
      let layer = last.flatMap { neighbours[$0] ?? [] }.filter { seen.insert($0).inserted }
      if layer.isEmpty { break }
      layers.append(layer)
    }
    return layers
  }

  /// Orders the layers so that neighbours are at similar heights, in a few passes of Sugiyama's barycenter heuristic.
  private static func sorted(_ layers: [[String]], _ neighbours: [String: [String]]) -> [[String]] {
    var layers = layers
    var places: [String: Double] = [:]
    func note(_ layer: [String]) {
      for (index, name) in layer.enumerated() { places[name] = Double(index) / Double(layer.count) }
    }
    layers.forEach(note)
    for pass in 0..<6 {
      let order = pass.isMultiple(of: 2) ? Array(layers.indices) : layers.indices.reversed()
      for index in order {
        let centers = layers[index].enumerated().map { place, name -> (Double, Int, String) in
          let others = (neighbours[name] ?? []).compactMap { places[$0] }
          return (others.isEmpty ? 0 : others.reduce(0, +) / Double(others.count), place, name)
        }
        layers[index] = centers.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
        note(layers[index])
      }
    }
    return layers
  }

  /// Connected boxes, positioned relative to (0, 0).
  private struct Group {
    var places: [(name: String, x: Int, y: Int)] = []
    var width = 0
    var height = 0

    init(layers: [[String]], boxes: OrderedDictionary<String, Box>) {
      let columns = Self.columns(layers, boxes)
      height = columns.map { Self.height($0, boxes) }.max() ?? 0
      for column in columns {
        var y = (height - Self.height(column, boxes)) / 2
        for name in column {
          places.append((name, width, y))
          y += (boxes[name]?.height ?? 0) + rowGap
        }
        width += (column.compactMap { boxes[$0]?.width }.max() ?? 0) + columnGap
      }
      width = max(width - columnGap, 0)
    }

    /// Returns the layers as columns, splitting layers that are too high.
    private static func columns(
      _ layers: [[String]], _ boxes: OrderedDictionary<String, Box>
    ) -> [[String]] {
      let area = layers.joined().reduce(0.0) { sum, name in
        guard let box = boxes[name] else { return sum }
        return sum + Double(box.width + columnGap) * Double(box.height + rowGap)
      }
      let most = Int(area.squareRoot())
      return layers.flatMap { layer in
        var columns: [[String]] = [[]]
        var height = 0
        for name in layer {
          let box = boxes[name]?.height ?? 0
          if height > 0, height + box > most {
            columns.append([])
            height = 0
          }
          columns[columns.count - 1].append(name)
          height += box + rowGap
        }
        return columns
      }
    }

    private static func height(_ column: [String], _ boxes: OrderedDictionary<String, Box>) -> Int {
      column.reduce(0) { $0 + (boxes[$1]?.height ?? 0) + rowGap } - rowGap
    }
  }

  /// Places the groups in rows.
  private mutating func place(_ groups: [Group]) {
    let area = groups.reduce(0.0) {
      $0 + Double($1.width + Self.columnGap) * Double($1.height + Self.rowGap)
    }
    let most = max(groups.map(\.width).max() ?? 0, Int((area * 1.6).squareRoot()))
    var (x, y, rowHeight) = (0, 0, 0)
    for group in groups {
      if x > 0, x + group.width > most {
        (x, y, rowHeight) = (0, y + rowHeight + 2 * Self.rowGap, 0)
      }
      for place in group.places {
        boxes[place.name]?.x = Self.margin + x + place.x
        boxes[place.name]?.y = Self.margin + y + place.y
      }
      x += group.width + Self.columnGap / 2
      rowHeight = max(rowHeight, group.height)
    }
    width = (boxes.values.map(\.right).max() ?? 0) + Self.margin + Self.columnGap / 2
    height = (boxes.values.map(\.bottom).max() ?? 0) + Self.margin
  }
}
