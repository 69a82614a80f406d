import KindredPlanning
import KindredSQLSyntax
import Synchronization

/// A function of sessions that tests a rule by a separate statement, whose failure doesn't fail the calling statement.
public final class RuleTestFunction: Sendable {
  private let calls = Atomic(false)

  /// Creates the function of the sessions of one database.
  public init() {}

  /// Whether a statement that has been planned calls it.
  public var isCalled: Bool { calls.load(ordering: .acquiring) }

  /// Notes that a statement calls it.
  fileprivate func call() { calls.store(true, ordering: .releasing) }

  /// The statement that gives it to a session, in whose temporary schema it is.
  ///
  /// Its inputs become literals, whose types follow from where they stand, as those of parameters do.
  public static let definition = """
    CREATE OR REPLACE FUNCTION pg_temp.kindred_holds(test text, VARIADIC inputs text[]) RETURNS boolean
    LANGUAGE plpgsql STABLE COST 10000 AS $$
    DECLARE
      result boolean;
    BEGIN
      EXECUTE format(
        'SELECT coalesce(bool_and(coalesce(holds, FALSE)), FALSE) FROM (' || test || ') AS tested(holds)', VARIADIC inputs)
        INTO result;
      RETURN result;
    EXCEPTION WHEN data_exception OR cardinality_violation OR raise_exception THEN
      RETURN FALSE;
    END $$
    """
}

extension PostgreSQLDialect {
  func tested(_ rule: SQL, alone test: SQL, _ pointers: [SQL]) -> SQL {
    guard let ruleTest else { return rule }
    ruleTest.call()
    let (text, bindings) = test.rendered(.format)
    let inputs = bindings.map { binding -> SQL in
      if case .batch(let number) = binding { "(\(pointers[number]))::text" } else { "\(binding)" }
    }
    return
      "pg_temp.kindred_holds(\(.value(.text(text))), VARIADIC ARRAY[\(inputs.joined(separator: ", "))]::text[])"
  }
}
