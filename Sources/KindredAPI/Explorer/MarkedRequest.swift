/// A request with the word that a problem is about.
struct MarkedRequest {
  /// The request as received.
  private let scalars: [Unicode.Scalar]
  /// Where the word is in it.
  private let place: Range<Int>

  /// Nil where the problem doesn't say what is wrong in the request.
  ///
  /// - Parameter description: what the request says, as its client may read it.
  init?(_ target: String, _ problem: Problem, in description: RequestDescription) {
    scalars = Array(target.unicodeScalars)
    guard let place = description.place(of: problem), !place.isEmpty, place.upperBound <= scalars.count
    else { return nil }
    self.place = place
  }

  /// The request as people read it, in three parts.
  var parts: (before: String, word: String, after: String) {
    (
      URLCoding.readable(text(scalars[..<place.lowerBound])), URLCoding.readable(text(scalars[place])),
      URLCoding.readable(text(scalars[place.upperBound...]))
    )
  }

  /// The request with another text in place of the word.
  func replacing(with text: String) -> String {
    let encoded = text.replacing("%", with: "%25").replacing("&", with: "%26").replacing("+", with: "%2B")
    return URLCoding.encodeUnsafe(
      "\(self.text(scalars[..<place.lowerBound]))\(encoded)\(self.text(scalars[place.upperBound...]))")
  }

  private func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }
}
