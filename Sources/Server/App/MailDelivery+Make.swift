internal import JSON
internal import LeasedQueue
internal import Mail

extension MailDelivery {
    /// Makes the delivery of e-mails that the configuration describes.
    ///
    /// - Parameters:
    ///   - services: the services with the configuration and the database.
    ///   - templates: the templates of e-mails.
    ///   - environment: the polling interval of the outbox.
    ///   - mailbox: the mailbox that gets all e-mails, in development without a mail server; otherwise `nil`.
    ///   - worker: the random name of this node as the owner of leases.
    /// - Throws: an error that says what is wrong with the sender, the app's name or the mail server's URL.
    static func make(
        _ services: Services,
        _ templates: EmailTemplates,
        _ environment: InstanceEnvironment,
        mailbox: DevelopmentMailbox?,
        worker: String
    ) throws -> MailDelivery {
        let configuration = services.configuration
        let composer = try composer(configuration, templates, publicURL: { services.publicURL })
        var settings = DeliverySettings()
        settings.workers = configuration.mailWorkers
        settings.poll = Int64(environment.mailPoll / .milliseconds(1))
        settings.lease = configuration.mailRetry.lease
        settings.retries = RetrySchedule(first: configuration.mailRetry.first, longest: configuration.mailRetry.longest)
        return MailDelivery(
            outbox: MailOutbox(
                database: services.database,
                flows: services.flows,
                publicURL: { services.publicURL },
                senderDomain: composer.sender.domain,
                logger: services.logger,
                ticketFailed: { services.ticketWaits.changed($0) }
            ),
            composer: composer,
            smtp: try configuration.smtp(mailbox: mailbox?.smtpURL),
            settings: settings,
            worker: worker,
            onEvent: { event in
                services.metrics.count(event)
                services.logger("mail", ("level", .string("\(event.level)")), ("detail", .string(event.description)))
            }
        )
    }

    /// Makes what composes the e-mails of a configuration.
    ///
    /// - Throws: an error that says what is wrong with the sender or the app's name.
    static func composer(
        _ configuration: Configuration,
        _ templates: EmailTemplates,
        publicURL: @escaping @Sendable () -> String
    ) throws -> MailComposer {
        let sender: MailSender
        do { sender = try MailSender(parsing: configuration.mailFrom) } catch {
            throw StartError.invalidMailSender(error.description)
        }
        return MailComposer(
            sender: sender,
            appName: try HeaderText(configuration.brand.name),
            templates: templates,
            publicURL: publicURL
        )
    }
}
