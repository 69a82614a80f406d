// The C library of the platform, under one name for all modules.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#endif

/// Returns the memory that the process has freed to the system, which glibc keeps for later (`malloc_trim(3)`).
public func returnMemory() {
  // Looked up by its name, since Swift's module of glibc has no `malloc.h`, and other C libraries no such function.
  guard let symbol = dlsym(nil, "malloc_trim") else { return }
  typealias Function = @convention(c) (_ pad: Int) -> CInt
  _ = unsafeBitCast(symbol, to: Function.self)(0)
}
