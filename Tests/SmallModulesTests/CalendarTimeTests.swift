import KindredClock
import Testing

@Suite("Dates of the calendar")
struct CalendarTimeTests {
  private func text(_ time: CalendarTime) -> String {
    "\(time.year)-\(time.month)-\(time.day) \(time.hour):\(time.minute):\(time.second), \(time.weekday)"
  }

  @Test(arguments: [
    (0, "1970-1-1 0:0:0, 4"),
    (951_782_399, "2000-2-28 23:59:59, 1"),
    (951_868_799, "2000-2-29 23:59:59, 2"),
    (951_868_800, "2000-3-1 0:0:0, 3"),
    (1_798_761_599, "2026-12-31 23:59:59, 4"),
    (4_107_542_399, "2100-2-28 23:59:59, 0"),
    (4_107_542_400, "2100-3-1 0:0:0, 1"),
    (253_402_300_799, "9999-12-31 23:59:59, 5"),
  ])
  func `a number of seconds is a date and a time in UTC`(seconds: Int, expected: String) {
    #expect(text(CalendarTime(secondsSince1970: seconds)) == expected)
  }

  @Test
  func `each day follows the one before, for 400 years`() {
    var last = CalendarTime(secondsSince1970: 0)
    for day in 1...146_097 {
      let time = CalendarTime(secondsSince1970: day * 86_400)
      let isLeap = last.year % 4 == 0 && (last.year % 100 != 0 || last.year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      let endsMonth = last.day == lengths[last.month - 1]
      let endsYear = endsMonth && last.month == 12
      guard time.day == (endsMonth ? 1 : last.day + 1), time.weekday == (last.weekday + 1) % 7,
        time.month == (endsYear ? 1 : endsMonth ? last.month + 1 : last.month),
        time.year == (endsYear ? last.year + 1 : last.year)
      else {
        Issue.record("\(text(time)) follows \(text(last))")
        return
      }
      last = time
    }
    #expect(text(last) == "2370-1-1 0:0:0, 4")
  }

  @Test
  func `a time before 1970 is its beginning`() {
    #expect(CalendarTime(secondsSince1970: .min) == CalendarTime(secondsSince1970: 0))
  }
}
