import KindredBackend
import KindredHTTP

extension HTTPCancellation: Cancellation {}
