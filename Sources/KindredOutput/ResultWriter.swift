import KindredPlanning

/// Writes the rows of a plan's nodes as a stack of frames, the innermost on top.
///
/// An explicit stack instead of recursion lets writing pause after any value until the client has taken what was
/// written. The loop neither allocates nor counts references, as long as the source doesn't: its state is plain structs
/// in memory that it owns.
///
/// It is public, because Swift 6.3 specialises no function with package access in another module.
public struct ResultWriter<Source: RowSource & ~Copyable>: ~Copyable {
  /// The rows of a node that are being written.
  public typealias Frame = ResultFrame<Source.Position>

  /// The reason why the loop has stopped.
  public enum Pause {
    /// A part of the result is complete.
    case full
    /// The whole result has been written.
    case finished
    /// The page's last record has been written, and its frame is on top.
    case lastRecord
    /// The source can't continue.
    case obstacle(Source.Obstacle)
  }

  /// What the rows are read from.
  public var source: Source
  /// What has been written of the current part.
  public var output = OutputBuffer(.take())
  /// Whether records follow the last one of the page.
  @usableFromInline package var hasMore = false
  /// Whether there is nothing to write: the whole result has been written, or it has not begun.
  @usableFromInline package var isFinished = true
  /// The number of frames.
  @usableFromInline package var count = 0
  /// The frames; the outermost comes first.
  @usableFromInline package var frames: UnsafeMutablePointer<Frame>

  @usableFromInline let plan: ExecutablePlan
  @usableFromInline let nodes: UnsafeMutablePointer<ExecutablePlan.Node>
  @usableFromInline let instructions: UnsafeMutablePointer<ExecutablePlan.Instruction>
  @usableFromInline let text: UnsafeMutablePointer<UInt8>
  @usableFromInline let limit: Int
  @usableFromInline var capacity: Int

  /// Creates a writer.
  ///
  /// - Parameter limit: The maximum number of the root's rows; one more is read to find out whether more follow.
  @inlinable
  public init(_ plan: ExecutablePlan, limit: Int?, _ source: consuming Source) {
    self.plan = plan
    self.source = source
    nodes = plan.nodes
    instructions = plan.instructions
    text = plan.text
    self.limit = limit ?? .max
    capacity = plan.plan.path.count + 16
    frames = .allocate(capacity: capacity)
  }

  @inlinable
  deinit {
    frames.deinitialize(count: count)
    frames.deallocate()
    output.memory.giveBack()
  }

  // MARK: Frames

  /// Ends the result without writing more.
  @inlinable
  public mutating func removeAll() {
    frames.deinitialize(count: count)
    count = 0
    isFinished = true
  }

  /// Adds a frame, whose rows are written next.
  ///
  /// - Parameter node: The index of the node; -1 for a record of the path.
  @inlinable
  public mutating func push(_ position: Source.Position, node: Int32) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Frame>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: frames, count: count)
      frames.deallocate()
      frames = larger
      capacity *= 2
    }
    (frames + count).initialize(to: Frame(position: position, node: node))
    count += 1
  }

  /// Begins the result with the root's rows.
  @inlinable
  public mutating func begin(_ root: Source.Position) {
    isFinished = false
    output.append(nodes[0].frame.opening, of: text)
    push(root, node: 0)
  }

  // MARK: The loop

  /// Writes rows until a part of the result is complete, or something else is needed.
  @inlinable
  public mutating func run() -> Pause {
    while !isFinished {
      if !frames[count - 1].isInRow {
        if let pause = nextRow() { return pause }
      } else if let pause = writeRow() {
        return pause
      }
      if output.isFull { return .full }
    }
    return .finished
  }

  /// Reads the next row of the frame on top, or ends the frame.
  @inlinable @inline(__always)
  public mutating func nextRow() -> Pause? {
    let frame = frames + (count - 1)
    let node = nodes + Int(frame.pointee.node)
    // A to-one association has at most one row.
    guard node.pointee.isToMany || frame.pointee.rows == 0 else {
      end()
      return nil
    }
    switch source.advance(frames, count) {
    case .row: break
    case .skipped: return nil
    case .end:
      end()
      return nil
    case .obstacle(let obstacle): return .obstacle(obstacle)
    }
    if frame.pointee.rows > 0 {
      if frame.pointee.node == 0, frame.pointee.rows >= limit {
        hasMore = true
        end()
        return nil
      }
      output.append(node.pointee.frame.separator, of: text)
    } else if limit == 0, frame.pointee.node == 0 {
      hasMore = true
      end()
      return nil
    }
    frame.pointee.rows += 1
    frame.pointee.instruction = node.pointee.firstInstruction
    frame.pointee.isInRow = true
    return nil
  }

  /// Ends the frame on top.
  @inlinable
  mutating func end() {
    count -= 1
    let frame = (frames + count).move()
    let node = nodes + Int(frame.node)
    source.close(frame.node, at: frame.position)
    if frame.node == 0 {
      isFinished = true
      output.append(node.pointee.frame.closing, of: text)
    } else if node.pointee.isToMany {
      output.append(node.pointee.frame.closing, of: text)
    } else if frame.rows == 0 {
      output.append(node.pointee.frame.missing, of: text)
    }
  }

  /// Writes the row of the frame on top, up to its end or to a child's frame.
  @inlinable @inline(__always)
  mutating func writeRow() -> Pause? {
    let frame = frames + (count - 1)
    let node = nodes + Int(frame.pointee.node)
    let position = frame.pointee.position
    let end = node.pointee.endInstruction
    var index = frame.pointee.instruction
    if frame.pointee.written.bytes > 0, !writeLong(instructions + Int(index - 1), of: frame) { return .full }
    while index < end {
      // Checked for each instruction: a row can repeat a value under any number of names.
      if output.isFull {
        frame.pointee.instruction = index
        return .full
      }
      let instruction = instructions + Int(index)
      index += 1
      if instruction.pointee.operation != .child { output.append(instruction.pointee.prefix, of: text) }
      switch instruction.pointee.operation {
      case .value, .boolean, .json, .exact:
        let operation = instruction.pointee.operation
        if !source.append(instruction.pointee.operand, at: position, as: operation, to: &output),
          !writeLong(instruction, of: frame)
        {
          frame.pointee.instruction = index
          return .full
        }
      case .text:
        break
      case .optional:
        if source.isNull(instruction.pointee.operand, at: position) {
          output.append(instruction.pointee.missing, of: text)
          index = instruction.pointee.end
        }
      case .absent:
        if !source.isNull(instruction.pointee.operand, at: position) { index = instruction.pointee.end }
      case .long:
        let isLong = source.withValue(instruction.pointee.operand, at: position, bytes: 0..<0) { $0.isLong }
        if !isLong { index = instruction.pointee.end }
      case .named, .namedInBlobs, .namedUntyped:
        let reading = instruction.pointee.operation.reading
        let isNamed = source.withValue(instruction.pointee.operand, at: position, bytes: 0..<0) {
          $0.isNamed(in: reading)
        }
        if !isNamed { index = instruction.pointee.end }
      case .formatted:
        if !writeLong(instruction, of: frame) {
          frame.pointee.instruction = index
          return .full
        }
      case .child:
        let child = instruction.pointee.operand
        switch source.open(child, below: frames, count) {
        case .omitted: output.append(instruction.pointee.missing, of: text)
        case .obstacle(let obstacle):
          frame.pointee.instruction = index - 1
          return .obstacle(obstacle)
        case .opened(let opened):
          output.append(instruction.pointee.prefix, of: text)
          output.append(nodes[Int(child)].frame.opening, of: text)
          frame.pointee.instruction = instruction.pointee.end
          push(opened, node: child)
          return nil
        }
      }
    }
    frame.pointee.isInRow = false
    return frame.pointee.node == 0 && frame.pointee.rows == limit ? .lastRecord : nil
  }

  /// Writes a long value, or a value in a format other than JSON; false if a part of the result is complete before its
  /// end.
  ///
  /// Not inlined, so that the loop over JSON values stays small.
  @inlinable @inline(never)
  mutating func writeLong(
    _ instruction: UnsafeMutablePointer<ExecutablePlan.Instruction>, of frame: UnsafeMutablePointer<Frame>
  ) -> Bool {
    let (column, form) = (instruction.pointee.operand, instruction.pointee.form)
    let position = frame.pointee.position
    let start = frame.pointee.written
    if form == .key, start.bytes == 0,
      source.withValue(column, at: position, bytes: 0..<0, { $0.isDotSegment })
    {
      output.append(instruction.pointee.missing, of: text)
    }
    let written = source.append(column, at: position, as: form, from: start, to: &output)
    frame.pointee.written = written ?? WrittenLength()
    return written == nil
  }
}
