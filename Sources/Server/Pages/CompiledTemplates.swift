package import Mail

/// The e-mails and pages of a server, compiled.
package struct CompiledTemplates: Sendable {
    package private(set) var emails: EmailTemplates
    package private(set) var pages: PageTemplates
    /// Warnings about the operator's own template files: unknown keys, and languages that lack texts.
    let warnings: [String]

    /// The built-in templates, compiled once for all servers of the process.
    private static let builtIn = Result { try CompiledTemplates(TemplateLibrary()) }

    /// Returns the built-in templates, or an operator's templates that replace some of them.
    ///
    /// - Parameters:
    ///   - folder: the operator's templates; `nil` for none.
    ///   - defaultLocale: the language for users whose own language is not available.
    ///   - brand: the operator's brand.
    /// - Throws: `TemplateError` for the first error in a template or text.
    static func load(
        overriding folder: String?,
        defaultLocale: String,
        brand: Brand
    ) throws(TemplateError) -> CompiledTemplates {
        guard folder == nil, brand.isNameOnly, var templates = try? builtIn.get(),
            templates.pages.locales.contains(defaultLocale)
        else {
            return try CompiledTemplates(
                TemplateLibrary(overriding: folder, defaultLocale: defaultLocale, brand: brand)
            )
        }
        templates.emails.defaultLocale = defaultLocale
        templates.pages.defaultLocale = defaultLocale
        return templates
    }

    package init(_ library: TemplateLibrary) throws(TemplateError) {
        emails = try EmailTemplates(library)
        pages = try PageTemplates(library)
        warnings = library.warnings(using: emails.keys.union(pages.keys))
    }
}
