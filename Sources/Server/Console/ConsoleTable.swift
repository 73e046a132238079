internal import Accounts

extension Markup {
    /// A table, which narrow screens show as a list of cards.
    ///
    /// - Parameters:
    ///   - caption: says what the table is, for screen readers.
    ///   - columns: the heads of the columns.
    ///   - rows: the cells of each row, one for each column.
    ///   - empty: the text in place of a table without rows.
    static func table(_ caption: String, _ columns: [String], _ rows: [[Markup]], empty: String) -> Markup {
        guard !rows.isEmpty else { return "<p class=\"muted\">\(empty)</p>" }
        let head = columns.map { "<th scope=\"col\" role=\"columnheader\">\($0)</th>" as Markup }.joined()
        let body = rows.map { cells -> Markup in
            let row = zip(columns, cells).map { column, cell in
                "<td role=\"cell\" data-label=\"\(column)\">\(cell)</td>" as Markup
            }
            return "<tr role=\"row\">\(row.joined())</tr>"
        }
        return """
            <table role="table"><caption class="hidden">\(caption)</caption><thead role="rowgroup"><tr role="row">\(head)</tr></thead>
            <tbody role="rowgroup">\(body.joined())</tbody></table>
            """
    }

    /// A list of names with values; a name without a value is left out.
    static func facts(_ facts: [(name: String, value: Markup?)]) -> Markup {
        let rows = facts.compactMap { fact in
            fact.value.map { "<div><dt>\(fact.name)</dt><dd>\($0)</dd></div>" as Markup }
        }
        return "<dl class=\"facts\">\(rows.joined())</dl>"
    }

    /// A time in UTC, to the minute; a dash for `nil`.
    static func time(_ milliseconds: Int64?) -> Markup {
        guard let milliseconds else { return "–" }
        let exact = Timestamp.rfc3339(milliseconds: milliseconds)
        return "<time datetime=\"\(exact)\">\(Timestamp.minute(milliseconds: milliseconds))</time>"
    }

    /// A text, or a dash for `nil` and an empty text.
    static func text(_ text: String?) -> Markup { text.flatMap { $0.isEmpty ? nil : Markup($0) } ?? "–" }

    /// A text that may be written from right to left, isolated from the text around it.
    static func isolated(_ text: String?) -> Markup {
        text.flatMap { $0.isEmpty ? nil : "<bdi>\($0)</bdi>" } ?? "–"
    }

    /// A short mark beside a name.
    static func badge(_ text: String, isBad: Bool = false) -> Markup {
        isBad ? " <span class=\"badge bad\">\(text)</span>" : " <span class=\"badge\">\(text)</span>"
    }

    static func link(_ text: Markup, to path: String) -> Markup { "<a href=\"\(path)\">\(text)</a>" }
}
