import Testing

@testable import KindredHTTP
@testable import KindredSpooling

@Suite("The budget of temporary files and of contents")
struct ByteBudgetTests {
  private let one = ClientAddress(ipv4: 1)
  private let other = ClientAddress(ipv6Prefix: 1)

  @Test
  func `gives each address a quarter, and all of them together no more than there is`() {
    let budget = ByteBudget(maximum: 100)
    #expect(budget.take(25, for: one))
    #expect(!budget.take(1, for: one))
    #expect(budget.take(25, for: other) && budget.take(25, for: nil))
    #expect(budget.take(20, for: ClientAddress(ipv4: 2)))
    #expect(!budget.take(6, for: ClientAddress(ipv4: 3)), "only five are left")
    #expect(budget.used == 95)
    budget.giveBack(10, of: one)
    #expect(!budget.take(11, for: one))
    #expect(budget.take(10, for: one))
    #expect(budget.used == 95)
  }

  @Test
  func `gives each address the share that was named`() {
    let budget = ByteBudget(maximum: 100, share: 75)
    #expect(budget.take(75, for: one) && !budget.take(1, for: one))
    #expect(budget.take(25, for: other) && !budget.take(1, for: nil))
  }

  @Test
  func `gets back what was taken for one purpose, all at once`() {
    let budget = ByteBudget(maximum: 100, share: 75)
    var bytes: TakenBytes? = TakenBytes(of: budget, for: one)
    #expect(bytes?.take(40) == true && bytes?.take(30) == true && bytes?.take(6) == false)
    #expect(bytes?.count == 70 && budget.used == 70)
    bytes = nil
    #expect(budget.used == 0)
  }

  @Test
  func `counts the bytes of a file until it is gone, those that were refused not at all`() throws {
    let budget = ByteBudget(maximum: 4000)
    let bytes = [UInt8](repeating: 1, count: 600)
    do {
      let file = try #require(ContentFile(in: budget, for: one))
      #expect(file.append(bytes))
      #expect(!file.append(bytes))
      #expect(budget.used == 600 && file.count == 600)
    }
    #expect(budget.used == 0)
    #expect(try #require(ContentFile(in: budget, for: one)).append(bytes))
  }
}
