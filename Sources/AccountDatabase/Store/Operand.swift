import Database

/// What a query compares a column with: a value, or a subquery that finds it.
///
/// A fragment of SQL could be either, too, but a value in a fragment of its own costs three more allocations per query.
enum Operand {
    case value(String)
    case subquery(SQL)
}

extension SQL.StringInterpolation {
    /// Adds a bind for a value, or the text and binds of a subquery.
    mutating func appendInterpolation(_ operand: Operand) {
        switch operand {
        case .value(let value): appendInterpolation(value)
        case .subquery(let query): appendInterpolation(query)
        }
    }
}
