internal import Accounts
internal import FoundationEssentials
internal import HTTPServer
internal import JSON
internal import Mail

extension Instance {
    /// Applies the settings, templates and certificate as they are now in their files, all or nothing.
    ///
    /// The log names what has changed and what needs a restart (`reload.done`), or why nothing changes
    /// (`reload.refused`). The call reads files, so it must not run on the cooperative pool.
    ///
    /// - Parameter load: reads and checks the configuration.
    package func reload(_ load: () throws -> Configuration) {
        do {
            let loaded = try load()
            let current = services.configuration
            let changes = current.changes(to: loaded)
            let next = current.adopting(loaded)
            // All that can fail comes first, and changes nothing.
            let certificate = try listeners.readCertificate(next)
            let files = TemplateFiles(next.templates)
            let templates = try CompiledTemplates.load(
                overriding: next.templates,
                defaultLocale: next.defaultLocale,
                brand: next.brand
            )
            let composer = try MailDelivery.composer(
                next,
                templates.emails,
                publicURL: { [services] in
                    services.publicURL
                }
            )

            var applied = changes.filter(Configuration.isReloadable)
            if let certificate {
                certificate.use()
                applied.append("certificate")
            }
            if templateFiles.value != files {
                templateFiles.replace(files)
                if !applied.contains("templates") { applied.append("templates") }
            }
            services.use(next, templates.pages)
            delivery.use(composer)
            listeners.use(next)
            services.logger.use(next.logFormat, from: next.logLevel)
            log(applied: applied, restart: changes.filter { !Configuration.isReloadable($0) }, templates.warnings)
        } catch {
            services.logger("reload.refused", ("reason", .string("\(error)")))
        }
    }

    private func log(applied: [String], restart: [String], _ warnings: [String]) {
        for warning in warnings { services.logger("templates", ("detail", .string(warning))) }
        services.logger(
            "reload.done",
            ("changed", .array(applied.map { .string($0) })),
            ("needsRestart", .array(restart.map { .string($0) }))
        )
    }
}

/// The operator's template files with their content, to notice changes.
struct TemplateFiles: Sendable, Equatable {
    private var content: [String: Data] = [:]

    /// Reads the files of a folder; none without a folder.
    init(_ folder: String?) {
        guard let folder, let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else { return }
        for path in paths {
            content[path] = FileManager.default.contents(atPath: "\(folder)/\(path)")
        }
    }
}
