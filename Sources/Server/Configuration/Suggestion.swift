/// Suggests the word that a mistyped one may stand for.
package enum Suggestion {
    /// Returns the nearest of some names: at most one edit away for words of up to four letters, two for longer ones,
    /// or else the first name that starts with the word, if the word has at least three letters; `nil` if there is
    /// none, or if the word has more than 40 bytes.
    package static func nearest(to word: String, among names: [String]) -> String? {
        let word = word.lowercased()
        // A word this long is not a typing error.
        guard !word.isEmpty, word.utf8.count <= 40 else { return nil }
        let ranked = names.map { (name: $0, distance: distance(word, $0)) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= (word.count <= 4 ? 1 : 2) {
            return best.name
        }
        return word.count < 3 ? nil : names.first { $0.hasPrefix(word) }
    }

    /// Returns how many letters must be inserted, deleted, replaced, or swapped with a neighbour to turn one word into
    /// the other.
    package static func distance(_ first: String, _ second: String) -> Int {
        let a = Array(first), b = Array(second)
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
