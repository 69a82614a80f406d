import KindredModel
import KindredPlanning
import KindredModelFile
import Synchronization

/// The model as the operator defines it: inferred, and refined by a model file if there is one.
struct ModelDefinition: Sendable {
  /// The path of the model file; nil without one.
  let path: String?
  private let file: ModelFile?
  /// Whether a model is in use.
  private let isInUse = InUse()

  private final class InUse: Sendable {
    let flag = Atomic(false)
  }

  /// Reads the model file.
  ///
  /// - Parameter isDraft: whether its errors are thrown with those of making the model.
  /// - Throws: `ModelFileError`
  init(_ path: String?, isDraft: Bool = false) throws {
    self.path = path
    file = try path.map { path in
      let reader = ModelFileReader(path: path)
      return isDraft ? try reader.readValidParts() : try reader.read()
    }
  }

  /// The model of the sample library.
  init(sample file: ModelFile?) {
    path = nil
    self.file = file
  }

  /// Throws the errors of a draft, where no model can be made.
  func check() throws { try file?.checkDraft() }

  /// Whether the model file has access rules.
  var hasAccess: Bool { file?.hasAccess ?? false }

  /// Returns the model of a database.
  @Sendable
  func model(of source: any SchemaSource) throws -> Model {
    guard let file else { return Model(inferredFrom: try source.schema()) }
    let model = try file.model(of: source, isFirst: !isInUse.flag.load(ordering: .relaxed))
    isInUse.flag.store(true, ordering: .relaxed)
    return model
  }
}
