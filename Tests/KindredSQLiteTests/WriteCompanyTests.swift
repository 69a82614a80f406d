import Testing

@testable import KindredSQLite

@Suite("Whom a group of writes waits for")
struct WriteCompanyTests {
  private let commit: UInt64 = 400_000

  private func company(of count: Int, waiting: Int, commits: [UInt64]) -> WriteCompany {
    var company = WriteCompany()
    for time in commits { company.committed(count, waiting: waiting, in: time) }
    return company
  }

  @Test
  func `a single writer never waits`() {
    #expect(WriteCompany().patience(with: 1) == nil)
    #expect(company(of: 1, waiting: 0, commits: [commit]).patience(with: 1) == nil)
  }

  @Test
  func `a group waits at most half a commit for returning writers`() {
    let company = company(of: 3, waiting: 2, commits: [commit])
    #expect(company.patience(with: 1) == commit / 2)
    #expect(company.patience(with: 4) == commit / 2)
    #expect(company.patience(with: 5) == nil)
  }

  @Test
  func `gathering stops after a wait that attracted no writer`() {
    var company = company(of: 3, waiting: 2, commits: [commit])
    company.waited(with: 2, until: 3)
    #expect(company.patience(with: 2) != nil)
    company.waited(with: 2, until: 2)
    #expect(company.patience(with: 2) == nil)
  }

  @Test
  func `it is never long, and commits that take no time aren't waited for`() {
    #expect(company(of: 9, waiting: 9, commits: [60_000_000_000]).patience(with: 1) == 1_000_000)
    #expect(company(of: 9, waiting: 9, commits: [20_000]).patience(with: 1) == nil)
    // A slow commit, such as one that ran a checkpoint, is soon forgotten.
    let mended = company(of: 9, waiting: 9, commits: [60_000_000_000] + Array(repeating: commit, count: 20))
    #expect((commit / 2..<commit).contains(mended.patience(with: 1) ?? 0))
  }
}
