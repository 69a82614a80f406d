import KindredModel
import KindredRequests

/// Completes the URLs of requests, for shells.
public struct URLCompletion {
  private let completer: Completer

  /// Creates a completion with the names of a model.
  public init(model: Model, limits: RequestLimits = RequestLimits()) {
    completer = Completer(model: model, limits: limits)
  }

  /// Returns at most a hundred URLs that complete the typed text by one word.
  public func completions(of url: String) -> [String] {
    let scalars = Array(url.unicodeScalars)
    return completer.completions(of: url, at: scalars.count).map { item in
      String(String.UnicodeScalarView(scalars[..<item.range.lowerBound])) + item.text
    }
  }
}
