internal import Dispatch
internal import Synchronization

/// Checks an installation from its machine: the configuration, the machine, the database, the public URL, the mail
/// server and the DNS records of the sender.
///
/// It changes nothing. The groups of checks run beside each other, and one that does not end in time is reported as a
/// problem.
package struct Doctor: Sendable {
    /// What the caller may choose.
    package struct Options: Sendable {
        /// The DKIM selector that the mail server signs with; `nil` if it is not known.
        package var selector: String?
        /// The DNS server to ask, as an address with an optional port; `nil` for the system's.
        package var dnsServer: String?
        /// The time after which a group of checks that has not ended is reported as a problem.
        package var patience = Duration.seconds(15)

        package init() {}
    }

    /// A group of checks.
    private struct Group: Sendable {
        let name: String
        let run: @Sendable () async -> [DoctorFinding]
    }

    let configuration: Configuration
    let configurationFile: String?
    let options: Options

    /// Runs all checks.
    ///
    /// - Parameters:
    ///   - file: the configuration file, or `nil`.
    ///   - environment: all environment variables.
    ///   - options: what the caller chose.
    package static func run(file: String?, environment: [String: String], options: Options) async -> DoctorReport {
        do {
            let configuration = try Configuration.load(file: file, environment: environment)
            let doctor = Doctor(configuration: configuration, configurationFile: file, options: options)
            return DoctorReport(await doctor.findings())
        } catch {
            let problems = (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"]
            return DoctorReport(
                problems.map { .problem("configuration", $0, "Correct this setting; the other checks need it.") }
                    + machineChecks()
            )
        }
    }

    private func findings() async -> [DoctorFinding] {
        let groups = [
            Group(name: "configuration") { settingChecks() },
            Group(name: "machine") { Self.machineChecks() + resourceChecks() },
            Group(name: "files") { fileChecks() },
            Group(name: "database") { await onThread { databaseChecks() } },
            Group(name: "public-url") { await publicURLChecks() },
            Group(name: "smtp") { await mailServerChecks() },
            Group(name: "dns") { await onThread { senderDomainChecks() } },
        ]
        let ended = AsyncStream<Void>.makeStream()
        let collected = Collected()
        for (index, group) in groups.enumerated() {
            // Not child tasks: a call that hangs must not keep the report from being printed.
            Task {
                collected.add(index, await group.run())
                ended.continuation.yield()
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(options.patience / .milliseconds(1)))) {
            ended.continuation.finish()
        }
        for await _ in ended.stream where collected.count == groups.count { break }
        return groups.indices.flatMap { index in
            collected[index] ?? [
                .problem(
                    groups[index].name,
                    "The checks have not ended within \(options.patience.components.seconds) seconds.",
                    "Something does not answer, often the DNS server or a firewall that drops packets."
                )
            ]
        }
    }

    /// The findings of the groups that have ended.
    private final class Collected: Sendable {
        private let findings = Mutex<[Int: [DoctorFinding]]>([:])

        func add(_ index: Int, _ found: [DoctorFinding]) { findings.withLock { $0[index] = found } }
        var count: Int { findings.withLock { $0.count } }
        subscript(index: Int) -> [DoctorFinding]? { findings.withLock { $0[index] } }
    }

    /// Runs blocking work on a thread of its own.
    private func onThread(_ body: @escaping @Sendable () -> [DoctorFinding]) async -> [DoctorFinding] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "latchkey.doctor").async { continuation.resume(returning: body()) }
        }
    }

    /// The findings about the configuration itself.
    private func settingChecks() -> [DoctorFinding] {
        var findings = configuration.warnings.map {
            DoctorFinding.warning("configuration", $0, "Correct it when you next change the configuration.")
        }
        if configuration.mode == .development {
            findings.append(
                .warning(
                    "configuration.mode",
                    "The mode is development, in which every user of this machine is an administrator.",
                    "Set mode to production before other machines can reach the server."
                )
            )
        }
        if configuration.mode == .production, configuration.tls == nil, configuration.trustedProxies.isEmpty,
            !configuration.listen.hasPrefix("unix:")
        {
            findings.append(
                .problem(
                    "configuration.proxy",
                    "A proxy must terminate TLS, but trustedProxies is empty, so all clients share the limits of the proxy's address.",
                    "List the proxy's address in trustedProxies, or set tls.certificate and tls.key."
                )
            )
        }
        return findings.isEmpty ? [.ok("configuration", "The configuration is valid.")] : findings
    }
}
