import Foundation
import KindredSystem

/// What the system knows of this process, under the names that Prometheus' clients use.
enum ProcessStatus {
  /// When the process was started, in seconds since 1970; read once, as the clock may be changed.
  private static let start: Double? = {
    // Field 22 of stat, in ticks since the boot (proc_pid_stat(5)).
    guard let since = fields.flatMap({ $0.count > 19 ? Double($0[19]) : nil }),
      let uptime = text("/proc/uptime")?.split(separator: " ").first.flatMap({ Double($0) })
    else { return nil }
    return Date().timeIntervalSince1970 - (uptime - since / ticks)
  }()

  static func append(to text: inout PrometheusText, version: String) {
    text.append(
      "kindred_build_info", .gauge, "The version of the program.",
      [("version=\"\(PrometheusText.escaped(version))\"", 1)])
    if let start {
      text.append("process_start_time_seconds", .gauge, "When the process was started.", real: start)
    }
    if let fields, fields.count > 21 {
      let page = sysconf(CInt(_SC_PAGESIZE))
      if let user = Double(fields[11]), let system = Double(fields[12]) {
        text.append(
          "process_cpu_seconds_total", .counter, "The processor time of the process.",
          real: (user + system) / ticks)
      }
      if let threads = Int(fields[17]) {
        text.append("process_threads", .gauge, "The threads of the process.", threads)
      }
      if let size = Int(fields[20]) {
        text.append("process_virtual_memory_bytes", .gauge, "The address space of the process.", size)
      }
      if let pages = Int(fields[21]) {
        text.append("process_resident_memory_bytes", .gauge, "The memory of the process.", pages * page)
      }
    }
    if let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      // One of them lists the directory.
      text.append("process_open_fds", .gauge, "The open file descriptors.", names.count - 1)
    }
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    if getrlimit(resource, &limit) == 0 {
      text.append(
        "process_max_fds", .gauge, "The limit of file descriptors.", Int(clamping: limit.rlim_cur))
    }
  }

  private static var ticks: Double { Double(sysconf(CInt(_SC_CLK_TCK))) }

  /// The fields of stat after the name of the program, which may contain spaces.
  private static var fields: [Substring]? {
    text("/proc/self/stat").flatMap { text in
      text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") }
    }
  }

  private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
