import KindredSQLiteDialect
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("Requests are resolved before there is any SQL")
struct RequestResolutionTests {
  @Test
  func `a node has the meanings of its fields, conditions and order`() throws {
    try expectMeaning(
      of: "books",
      Node(
        fields: "TITLE,a:author.name", annotate: "reviewCount,maxReviewRating",
        filter: "year>1900 and not (id in (1,2))",
        sort: "-reviewCount,title:nocase"),
      """
      books
        title: title
        a: author.name
        reviewCount: reviews.count
        maxReviewRating: reviews.max(rating)
        where year > 1900 and not id in (1, 2)
        order by -reviewCount, title:nocase
      """)
  }

  @Test
  func `without fields, a record has its columns`() throws {
    try expectMeaning(
      of: "authors", Node(),
      """
      authors
        id: id
        name: name
        birthYear: birthYear
      """)
  }

  @Test
  func `included nodes are below their parent, and refer to it`() throws {
    try expectMeaning(
      of: "authors",
      Node(
        fields: "name",
        children: [
          Node(
            key: "books", isRequired: true, fields: "title", filter: "year>../birthYear+20",
            children: [Node(key: "reviews", fields: "rating", sort: "-rating")])
        ]),
      """
      authors
        name: name
        books: to-many, required
          title: title
          reviews: to-many
            rating: rating
            order by -rating
          where year > ../birthYear + 20
        where there is a record of books
      """)
  }

  @Test
  func `an aggregate of a node is about the records that meet its conditions`() throws {
    try expectMeaning(
      of: "authors",
      Node(
        fields: "n:early.count",
        children: [Node(key: "early", association: "books", isIncluded: false, filter: "year<1900")]),
      """
      authors
        n: early.count
        early: to-many, joined
          where year < 1900
      """)
  }

  @Test
  func `nodes below joined ones are reached through these`() throws {
    try expectMeaning(
      of: "authors",
      Node(
        fields: "name",
        children: [
          Node(
            key: "books", isIncluded: false, filter: "year>1900",
            children: [Node(key: "reviews", fields: "rating")])
        ]),
      """
      authors
        name: name
        books: to-many, joined
          reviews: to-many, through books
            rating: rating
          where year > 1900
      """)
  }

  @Test
  func `groups have their expressions, conditions and order`() throws {
    try expectMeaning(
      of: "books",
      Node(fields: "decade:year/10,n:count()", group: "decade", having: "n>2", sort: "-n"),
      """
      books
        decade: year / 10
        n: count()
        group by decade
        having n > 2
        order by -n
      """)
  }

  @Test
  func `the second level of a recursion has the first one as its parent`() throws {
    try expectMeaning(
      of: "categories",
      Node(
        fields: "name",
        children: [
          Node(key: "categoriesByParent", repetitions: 2, fields: "name", filter: "id>../id")
        ]),
      """
      categories
        name: name
        categoriesByParent: to-many, 2 levels
          name: name
          categoriesByParent, the levels below:
            name: name
            where id > ../id
          where id > ../id
      """)
  }

  // MARK: Errors

  @Test
  func `names of joined nodes are checked, though nothing reads them`() throws {
    for node in [
      Node(key: "books", isIncluded: false, fields: "t:titel"),
      Node(key: "books", isIncluded: false, filter: "titel='x'"),
      Node(key: "books", isIncluded: false, sort: "titel"),
      Node(key: "books", isIncluded: false, fields: "n:count()", group: "titel"),
    ] {
      try expectRefusal(
        of: "authors", Node(fields: "name", children: [node]),
        "`titel` is not a column of books; did you mean `title`?")
    }
  }

  @Test
  func `a condition can't read the records that meet it`() throws {
    let node = Node(key: "books", isIncluded: false, filter: "../n>1")
    try expectRefusal(
      of: "authors", Node(annotate: "n:books.count", children: [node]),
      "a condition of `books` can't read `books` itself; include the association again under another key")
  }

  @Test
  func `two members of a record have different names, joined nodes or not`() throws {
    let author = Node(
      key: "author", isIncluded: false, children: [Node(key: "books", fields: "id")])
    try expectRefusal(
      of: "books", Node(fields: "books:title", children: [author]),
      "two members of one record would be named `books`; rename one of them, as in `other:books`")
  }
}
