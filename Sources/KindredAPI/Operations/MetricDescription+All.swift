import KindredBackend
import KindredHTTP

extension MetricDescription {
  /// Every metric that a server can have, in the order of `/-/metrics`.
  package static var all: [MetricDescription] {
    var text = PrometheusText()
    text.listsAll = true
    ProcessStatus.append(to: &text, version: "")
    text.append(engine: "")
    ServiceMetrics().append(to: &text)
    text.append(PlanCounts().snapshot)
    text.append([ChangeFeed]())
    text.append([ReplicaStanding]())
    let statistics = BackendStatistics()
    text.append(statistics)
    text.appendContents(received: 0, read: 0)
    text.appendSnapshots(0, spooled: 0, statistics)
    text.appendWrites(of: statistics)
    text.append(LiveCounters().snapshot(openConnections: 0))
    text.append(droppedLogLines: 0)
    return text.descriptions
  }
}
