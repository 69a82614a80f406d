import Foundation

/// Decodes a column into a type that is not `DatabaseValueConvertible`: a `Codable` enumeration, or JSON.
struct ColumnDecoder: Decoder, SingleValueDecodingContainer {
  /// The type requests a container, so the column must be read as JSON.
  private struct NotSingleValue: Error {}

  let row: Row
  let index: Int
  /// The column's name.
  let name: String
  let place: DecodingPlace
  var codingPath: [any CodingKey] { place.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { place.userInfo }

  func decodeColumn<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      return try Value(from: self)
    } catch is NotSingleValue {
      guard let json = Data.fromDatabaseValue(DatabaseValue(row.value(at: index))) else {
        throw RowDecodingError(.mismatch(found: row.value(at: index).typeName), key: name, type: type)
      }
      do {
        return try place.jsonDecoder(for: name).decode(type, from: json)
      } catch let error as DecodingError {
        throw error.below(place.codingPath)
      }
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw NotSingleValue()
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotSingleValue() }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { row.hasNull(atIndex: index) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let column = Value.self as? any DatabaseValueConvertible.Type {
      return try column.read(from: row, atIndex: index, as: type)
    }
    return try Value(from: self)
  }
}

extension DecodingError {
  /// Returns the error with a longer path, which begins at the record rather than at the JSON of a column.
  fileprivate func below(_ path: [any CodingKey]) -> DecodingError {
    func longer(_ context: Context) -> Context {
      Context(
        codingPath: path + context.codingPath, debugDescription: context.debugDescription,
        underlyingError: context.underlyingError)
    }
    return switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, longer(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, longer(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, longer(context))
    case .dataCorrupted(let context): .dataCorrupted(longer(context))
    @unknown default: self
    }
  }
}
