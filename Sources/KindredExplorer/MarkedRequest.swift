import KindredModel
import KindredRequests
import KindredTools

/// A request and the part of it that a problem is about.
struct MarkedRequest {
  /// The request as received.
  private let scalars: [Unicode.Scalar]
  /// The range of the word in the request.
  private let place: Range<Int>

  /// Returns nil if the problem doesn't refer to a part of the request.
  ///
  /// - Parameter description: The description of the request for its client.
  init?(_ target: String, _ problem: Problem, in description: RequestDescription) {
    scalars = Array(target.unicodeScalars)
    guard let place = description.place(of: problem), !place.isEmpty, place.upperBound <= scalars.count
    else { return nil }
    self.place = place
  }

  /// The request in readable form, in three parts.
  var parts: (before: String, word: String, after: String) {
    (
      URLCoding.readable(text(scalars[..<place.lowerBound])), URLCoding.readable(text(scalars[place])),
      URLCoding.readable(text(scalars[place.upperBound...]))
    )
  }

  /// Returns the request with another text in place of the word.
  func replacing(with text: String) -> String {
    return URLCoding.encodeUnsafe(
      "\(self.text(scalars[..<place.lowerBound]))\(URLCoding.readableValue(text))\(self.text(scalars[place.upperBound...]))"
    )
  }

  private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }
}
