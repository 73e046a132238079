/// What an operator does when mail servers refuse e-mails of the sender's domain.
package enum SenderDomainAdvice {
    package static let text =
        "mail servers refuse e-mails of the domain in mailFrom; publish its SPF, DKIM and DMARC records "
        + "(docs/mail-delivery.md)"
}
