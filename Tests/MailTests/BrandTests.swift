import Accounts
import Foundation
import Mail
import Testing

/// An operator's brand in e-mails, and what is wrong with one.
@Suite("Brand")
struct BrandTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]

    private static func brand(logo: [UInt8]? = nil) throws -> Brand {
        var brand = Brand(name: "Notes & <b>Co</b>")
        brand.color = HexColor("#a01040")
        brand.supportURL = "mailto:help@example.com"
        brand.privacyURL = "https://example.com/privacy?a=1&b=<2>"
        brand.appURL = "https://app.example.com"
        brand.postalAddress = "1 Main Street\n<i>Springfield</i>"
        brand.logo = try logo.map { try BrandLogo($0, file: "logo") }
        return brand
    }

    @Test(arguments: [
        ("#2557c7", "#2557c7"), ("#25c", "#2255cc"), ("#ABCDEF", "#abcdef"), ("2557c7", nil), ("blue", nil),
        ("#2557c", nil), ("#2557c7ff", nil), ("#gggggg", nil), ("#", nil), ("#２５c", nil),
        ("#25c;}</style>", nil),
    ])
    func `a color has three or six hexadecimal digits`(_ text: String, _ color: String?) {
        #expect(HexColor(text)?.description == color)
    }

    @Test func `contrast is that of WCAG`() throws {
        let gray = try #require(HexColor("#777777"))
        #expect(abs(HexColor.black.contrast(to: .white) - 21) < 0.001)
        #expect(abs(gray.contrast(to: .white) - 4.478) < 0.001)
        #expect(abs(HexColor.white.contrast(to: gray) - 4.478) < 0.001)
    }

    @Test(arguments: MailKind.allCases)
    func `every e-mail has the brand's color, links and address, and nothing of them is markup`(
        _ kind: MailKind
    ) throws {
        let templates = try EmailTemplates(TemplateLibrary(brand: try Self.brand(logo: Self.png)))
        let mail = try templates.render(
            .example(kind),
            appName: "Notes & <b>Co</b>",
            publicURL: "https://auth.example.com"
        )
        for text in [
            "src=\"https://auth.example.com/auth/logo.png\"", "alt=\"Notes &amp; &lt;b&gt;Co&lt;/b&gt;\"",
            "href=\"mailto:help@example.com\"", "href=\"https://app.example.com\"",
            "href=\"https://example.com/privacy?a=1&amp;b=&lt;2&gt;\"",
            "<bdi>1 Main Street</bdi><br><bdi>&lt;i&gt;Springfield&lt;/i&gt;</bdi>",
        ] { #expect(mail.html.contains(text), "\(text)") }
        #expect(!mail.html.contains("<b>Co") && !mail.html.contains("<i>") && !mail.html.contains("#2557c7"))
        for text in ["Springfield", "help@example.com", "https://app.example.com"] {
            #expect(mail.text.contains(text), "\(text)")
        }
        #expect(!mail.text.contains("\n\n\n"))
        #expect(
            mail.html.contains("#a01040")
                == (mail.html.contains("class=\"button\"") || mail.html.contains("class=\"link\""))
        )
    }

    @Test func `an SVG logo gives e-mails the name in its place`() throws {
        let svg = Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0\"/></svg>".utf8)
        let templates = try EmailTemplates(TemplateLibrary(brand: try Self.brand(logo: svg)))
        let mail = try templates.render(.example(.signIn), appName: "Notes", publicURL: "https://auth.example.com")
        #expect(!mail.html.contains("<img") && mail.html.contains(">Notes</td>"))
    }

    @Test(arguments: ["method-added", "method-removed", "email-changed"])
    func `a security e-mail has a label, support and no prominent button`(_ name: String) throws {
        let kind = try #require(MailKind(rawValue: name))
        let mail = try EmailTemplates(TemplateLibrary(brand: try Self.brand()))
            .render(.example(kind), appName: "Notes")
        #expect(mail.text.hasPrefix("Security notice\n"))
        #expect(mail.text.contains("Contact support:\nhelp@example.com\n"))
        #expect(mail.html.contains("This wasn’t me</a>") && !mail.html.contains("class=\"button\""))
        let plain = try EmailTemplates.builtIn.render(.example(kind), appName: "Notes")
        #expect(!plain.text.contains("support") && !plain.html.contains("support:"))
    }

    @Test(arguments: [("#ffe000", nil), ("#eeeeee", "#333333"), ("#2557c7", "#101010")])
    func `a color that people cannot read is corrected, and the operator is told`(
        _ color: String,
        _ dark: String?
    ) throws {
        var brand = Brand()
        brand.color = HexColor(color)
        brand.colorDark = dark.flatMap { HexColor($0) }
        let library = try TemplateLibrary(brand: brand)
        let used = library.warnings(using: try EmailTemplates(library).keys)
        let settings = (color == "#2557c7" ? [] : ["brand.color: "]) + (dark == nil ? [] : ["brand.colorDark: "])
        #expect(used.count == settings.count)
        for (warning, setting) in zip(used, settings) {
            #expect(warning.hasPrefix(setting) && warning.contains("WCAG AA") && warning.contains("used instead"))
        }
    }

    @Test func `the built-in colors and good brand colors need no warning`() throws {
        for color in [nil, "#a01040", "#2557c7", "#0a7a33"] {
            var brand = Brand()
            brand.color = color.flatMap { HexColor($0) }
            let library = try TemplateLibrary(brand: brand)
            #expect(library.warnings(using: try EmailTemplates(library).keys) == [])
        }
    }

    @Test(arguments: [
        ("<svg><g>\n<script>x</script></g></svg>", "logo.svg:2: the element 'script'"),
        ("<svg>\n\n<svg:SCRIPT/></svg>", "logo.svg:3: the element 'script'"),
        ("<svg onload=\"x()\"/>", "logo.svg:1: the attribute 'onload'"),
        ("<svg\nwidth='1'\n ONCLICK = x></svg>", "logo.svg:1: the attribute 'onclick'"),
        ("<svg><foreignObject/></svg>", "logo.svg:1: the element 'foreignobject'"),
        ("<svg>\n<image href=\"https://example.com/x.png\"/></svg>", "logo.svg:2: a reference"),
        ("<svg><a xlink:href=\"javascript:x\"/></svg>", "logo.svg:1: a reference"),
        ("<svg><a href=\"&#106;avascript:x\"/></svg>", "logo.svg:1: a reference"),
        ("<svg><image href=\"data:image/svg+xml,x\"/></svg>", "logo.svg:1: a reference"),
        ("<svg>\n<style>\n@import 'x';</style></svg>", "logo.svg:3: a style"),
        ("<svg><rect fill=\"url(https://example.com/x)\"/></svg>", "logo.svg:1: a style"),
        ("<!DOCTYPE svg [\n<!ENTITY x \"y\">]>\n<svg/>", "logo.svg:1: an entity declaration"),
        ("<html><body/></html>", "logo.svg:1: the logo is neither a PNG nor an SVG file"),
        ("GIF89a", "logo.svg: the logo is neither a PNG nor an SVG file"),
        ("", "logo.svg: the logo is neither a PNG nor an SVG file"),
    ])
    func `a logo that is more than a drawing is refused with its line`(_ svg: String, _ reason: String) throws {
        let error = try #require(throws: TemplateError.self) { try BrandLogo(Array(svg.utf8), file: "logo.svg") }
        #expect(error.description.hasPrefix(reason), "\(error)")
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?>\n<!-- <script> -->\n<svg viewBox=\"0 0 1 1\"><path d=\"M0>1\"/></svg>",
        "<svg><defs><linearGradient id=\"g\"/></defs><rect fill=\"url(#g)\"/><use href=\"#g\"/></svg>",
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\">\n<svg><image href=\"data:image/png;base64,AA\"/></svg>",
    ])
    func `a drawing is a logo`(_ svg: String) throws {
        #expect(try BrandLogo(Array(svg.utf8), file: "logo.svg").format == .svg)
    }

    @Test func `a logo has at most 100 kB`() throws {
        #expect(try BrandLogo(Self.png + Array(repeating: 0, count: 99_988), file: "x").format == .png)
        let error = try #require(throws: TemplateError.self) {
            try BrandLogo(Self.png + Array(repeating: 0, count: 99_989), file: "x")
        }
        #expect(error.description == "x: the logo has 100001 bytes; at most 100000 are allowed")
    }
}
