import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("A whole number, however it is written")
struct WholeNumberTests {
  @Test(
    arguments: [
      ("3.0", 3), ("1e3", 1000), ("-1.50e1", -15), ("0.0", 0), ("9223372036854775807", .max),
      ("1.5", nil), ("1e19", nil), ("", nil), ("x", nil), ("1e", nil),
      ("1e-9223372036854775808", nil), ("1e9223372036854775807", nil), ("1e99999999999999999999", nil),
    ] as [(String, Int64?)])
  func `is read exactly, or not at all`(text: String, number: Int64?) {
    #expect(text.wholeNumber == number)
  }
}
