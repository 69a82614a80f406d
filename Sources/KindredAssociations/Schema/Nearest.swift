public func nearest(to name: String, among candidates: some Sequence<String>) -> [String] { [] }
