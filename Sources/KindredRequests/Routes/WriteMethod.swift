import KindredModel
import KindredHTTP

/// A method that writes.
package enum WriteMethod: CaseIterable {
  case post, patch, put, delete

  package init?(_ method: HTTPMethod) {
    guard let known = Self.allCases.first(where: { $0.method == method }) else { return nil }
    self = known
  }

  package var method: HTTPMethod {
    switch self {
    case .post: .post
    case .patch: .patch
    case .put: .put
    case .delete: .delete
    }
  }
}

extension Resource {
  /// Returns whether the principal may do this with some records.
  package func allows(_ method: WriteMethod) -> Bool {
    switch method {
    case .post: permissions.create != nil
    case .patch: permissions.update != nil
    case .put: permissions.create != nil || permissions.update != nil
    case .delete: permissions.delete != nil
    }
  }
}
