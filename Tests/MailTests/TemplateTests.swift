import Mail
import Testing

@Suite("Templates")
struct TemplateTests {
    @Test
    func `a value is escaped in HTML and verbatim in text`() throws {
        let hostile = "<script>\"'&</script>{{b}}"
        let source = "<p title=\"{{a}}\">{{a}} {single} }}</p>"
        let html = try Template(source, file: "f", format: .html, placeholders: ["a", "b"])
        let escaped = "&lt;script&gt;&quot;&#39;&amp;&lt;/script&gt;{{b}}"
        #expect(try html.renderText(["a": hostile]) == "<p title=\"\(escaped)\">\(escaped) {single} }}</p>")
        let text = try Template("{{a}}{{a}}", file: "f", format: .text, placeholders: ["a"])
        #expect(try text.renderText(["a": hostile]) == hostile + hostile)
        #expect(text.placeholders == ["a"])
    }

    @Test
    func `raw content stands where it is allowed`() throws {
        let layout = try Template("<b>{{{content}}}</b>", file: "f", format: .html, placeholders: [], raw: ["content"])
        #expect(try layout.renderText(["content": "<i>x</i>"]) == "<b><i>x</i></b>")
    }

    @Test(arguments: [
        ("a\nb {{nobody}}", 2, "unknown placeholder 'nobody'"),
        ("{{a}}\n\n{{{a}}}", 3, "'a' in the wrong number of braces"),
        ("{{content}}", 1, "'content' in the wrong number of braces"),
        ("x\n{{a}", 2, "a placeholder that is not {{name}}"),
        ("{{ a }}", 1, "a placeholder that is not {{name}}"),
        ("{{}}", 1, "a placeholder that is not {{name}}"),
        ("{{{{a}}}}", 1, "a placeholder that is not {{name}}"),
        ("{{#if a}}", 1, "a placeholder that is not {{name}}"),
        ("\r\n\r\n{{", 3, "a placeholder that is not {{name}}"),
    ])
    func `what is wrong is said with file and line`(_ source: String, _ line: Int, _ reason: String) throws {
        let error = try #require(throws: TemplateError.self) {
            try Template(source, file: "en/x.html", format: .html, placeholders: ["a"], raw: ["content"])
        }
        #expect(error == TemplateError(file: "en/x.html", line: line, reason: reason))
        #expect(error.description == "en/x.html:\(line): \(reason)")
    }

    private static let sections =
        "a\n{{#code}}\n{{code}}\n{{/code}}\n{{^code}}\nno\n{{/code}}\nb{{#code}} {{code}}!{{/code}}\n"

    @Test
    func `a section is kept if its placeholder is known, and a line with a mark alone is left out`() throws {
        func compile(_ placeholders: Set<String>) throws -> Template {
            try Template(Self.sections, file: "f", format: .text, placeholders: placeholders, optional: ["code"])
        }
        #expect(try compile(["code"]).renderText(["code": "1"]) == "a\n1\nb 1!\n")
        #expect(try compile([]).renderText([:]) == "a\nno\nb\n")
    }

    @Test(arguments: [
        ("\n{{code}}", 2, "'code' outside of {{#code}} and {{/code}}, although not every e-mail has it"),
        ("{{#coed}}\n{{/coed}}", 1, "unknown placeholder 'coed'"),
        ("\n{{#code}}\n\n", 2, "no {{/code}}"),
        ("{{#code}}\n{{^code}}{{/code}}", 2, "a section inside of a section"),
        ("{{#code}}\n{{code}}\n{{/code}}\n{{/code}}", 4, "{{/code}} without its start"),
        ("{{^code}}\n{{x}}\n{{/code}}", 2, "unknown placeholder 'x'"),
    ])
    func `what is wrong with a section is said with file and line`(
        _ source: String,
        _ line: Int,
        _ reason: String
    ) throws {
        let error = try #require(throws: TemplateError.self) {
            try Template(source, file: "x.html", format: .html, placeholders: [], optional: ["code"])
        }
        #expect(error == TemplateError(file: "x.html", line: line, reason: reason))
    }

    @Test
    func `a missing value is an error, not an empty place`() throws {
        let template = try Template("{{a}}", file: "f", format: .text, placeholders: ["a"])
        #expect(throws: TemplateError.self) { try template.render(["b": "1"]) }
    }
}
