import Mail

extension TemplateLibrary {
    /// The built-in templates and texts, read once for all tests.
    static var builtIn: TemplateLibrary { get throws { try library.get() } }

    private static let library = Result { try TemplateLibrary() }
}

extension EmailTemplates {
    /// The built-in e-mails, compiled once for all tests.
    static var builtIn: EmailTemplates { get throws { try templates.get() } }

    private static let templates = Result { try EmailTemplates(TemplateLibrary.builtIn) }
}
