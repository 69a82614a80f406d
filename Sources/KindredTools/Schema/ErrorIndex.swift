import KindredRequests

/// `/-/errors`: every code that a problem can have, and how to fix it.
package enum ErrorIndex {
  package static var json: JSONValue {
    .array(
      ErrorDescription.all.map {
        ["code": .string($0.code), "title": .string($0.title), "description": .string($0.text)]
      })
  }
}
