// Made by Scripts/make-cldr-tables with babel 2.18.0 from Unicode's CLDR; do not edit.
// swift-format-ignore-file

/// The languages that choose plural categories by the same rule for whole numbers, named after one of them.
enum PluralFamily {
    case id, en, ak, ar, uk, blo, br, bs, es, ceb, cs, cy, dsb, fr, ga, gd, gv, he, `is`, kw, lt, lv, mt, pl, ro, shi, tzm

    /// Finds the family of a language in lower case, such as "pl" or "pt-pt"; `nil` if CLDR has none.
    init?(_ language: String) {
        switch language {
        case "aa", "ab", "agq", "ann", "apc", "arn", "ba", "bas", "bew", "bgc", "bgn", "blt", "bm", "bo", "bss", "byn", "cad", "cch", "ccp", "cho", "cic", "co", "cop", "cu", "cv", "dav", "dje", "dua", "dyo", "dz", "ebu", "ewo", "frr", "gaa", "gez", "gn", "guz", "hnj", "id", "ie", "ig", "ii", "ja", "jbo", "jv", "kaa", "kam", "kde", "kea", "ken", "kgp", "khq", "ki", "kln", "km", "ko", "kok", "kpe", "ksf", "kxv", "la", "lkt", "lmo", "lo", "lrc", "ltg", "lu", "luo", "luy", "mai", "mdf", "mer", "mfe", "mgh", "mhn", "mi", "mic", "mni", "moh", "ms", "mua", "mus", "my", "myv", "mzn", "nds", "nmg", "nqo", "nus", "nv", "oc", "osa", "pis", "qu", "quc", "raj", "rhg", "rif", "rn", "rw", "sa", "sah", "sbp", "ses", "sg", "shn", "sid", "skr", "su", "szl", "tg", "th", "to", "tok", "tpi", "trv", "trw", "tt", "twq", "tyv", "vai", "vi", "vmw", "wal", "wbp", "wo", "xnr", "yav", "yo", "yrl", "yue", "za", "zgh", "zh": self = .id
        case "af", "an", "asa", "ast", "az", "bal", "bem", "bez", "bg", "brx", "ce", "cgg", "chr", "ckb", "da", "de", "dv", "ee", "el", "en", "eo", "et", "eu", "fi", "fo", "fur", "fy", "gl", "gsw", "ha", "haw", "hu", "ia", "io", "jgo", "jmc", "ka", "kaj", "kcg", "kk", "kkj", "kl", "ks", "ksb", "ku", "ky", "lb", "lg", "lij", "mas", "mgo", "ml", "mn", "mr", "nb", "nd", "ne", "nl", "nn", "nnh", "no", "nr", "ny", "nyn", "om", "or", "os", "pap", "ps", "rm", "rof", "rwk", "saq", "sc", "sd", "sdh", "seh", "sn", "so", "sq", "ss", "ssy", "st", "sv", "sw", "syr", "ta", "te", "teo", "tig", "tk", "tn", "tr", "ts", "ug", "ur", "uz", "ve", "vo", "vun", "wae", "xh", "xog", "yi": self = .en
        case "ak", "am", "as", "bho", "bn", "csw", "doi", "fa", "ff", "gu", "hi", "hy", "kab", "kn", "ln", "mg", "nso", "pa", "pcm", "si", "ti", "wa", "zu": self = .ak
        case "ar": self = .ar
        case "be", "ru", "uk": self = .uk
        case "blo", "ksh", "lag": self = .blo
        case "br": self = .br
        case "bs", "hr", "sr": self = .bs
        case "ca", "es", "it", "lld", "pt-pt", "scn", "vec": self = .es
        case "ceb", "fil": self = .ceb
        case "cs", "sk": self = .cs
        case "cy": self = .cy
        case "dsb", "hsb", "sl": self = .dsb
        case "fr", "ht", "pt": self = .fr
        case "ga": self = .ga
        case "gd": self = .gd
        case "gv": self = .gv
        case "he", "iu", "naq", "sat", "se", "sma", "smj", "smn", "sms": self = .he
        case "is", "mk": self = .`is`
        case "kw": self = .kw
        case "lt": self = .lt
        case "lv", "prg": self = .lv
        case "mt": self = .mt
        case "pl": self = .pl
        case "ro": self = .ro
        case "shi": self = .shi
        case "tzm": self = .tzm
        default: return nil
        }
    }

    /// Returns the category of a whole number that is not negative.
    func category(of n: Int) -> PluralCategory {
        switch self {
        case .id:
            return .other
        case .en:
            if n == 1 { return .one }
            return .other
        case .ak:
            if n == 0 || n == 1 { return .one }
            return .other
        case .ar:
            if n == 0 { return .zero }
            if n == 1 { return .one }
            if n == 2 { return .two }
            if (3...10).contains(n % 100) { return .few }
            if (11...99).contains(n % 100) { return .many }
            return .other
        case .uk:
            if n % 10 == 1 && !(n % 100 == 11) { return .one }
            if (2...4).contains(n % 10) && !((12...14).contains(n % 100)) { return .few }
            if (n % 10 == 0 || (5...9).contains(n % 10)) || (11...14).contains(n % 100) { return .many }
            return .other
        case .blo:
            if n == 0 { return .zero }
            if n == 1 { return .one }
            return .other
        case .br:
            if n % 10 == 1 && !((n % 100 == 11 || n % 100 == 71 || n % 100 == 91)) { return .one }
            if n % 10 == 2 && !((n % 100 == 12 || n % 100 == 72 || n % 100 == 92)) { return .two }
            if ((3...4).contains(n % 10) || n % 10 == 9) && !(((10...19).contains(n % 100) || (70...79).contains(n % 100) || (90...99).contains(n % 100))) { return .few }
            if !(n == 0) && n % 1000000 == 0 { return .many }
            return .other
        case .bs:
            if n % 10 == 1 && !(n % 100 == 11) { return .one }
            if (2...4).contains(n % 10) && !((12...14).contains(n % 100)) { return .few }
            return .other
        case .es:
            if n == 1 { return .one }
            if !(n == 0) && n % 1000000 == 0 { return .many }
            return .other
        case .ceb:
            if (n == 1 || n == 2 || n == 3) || !((n % 10 == 4 || n % 10 == 6 || n % 10 == 9)) { return .one }
            return .other
        case .cs:
            if n == 1 { return .one }
            if (2...4).contains(n) { return .few }
            return .other
        case .cy:
            if n == 0 { return .zero }
            if n == 1 { return .one }
            if n == 2 { return .two }
            if n == 3 { return .few }
            if n == 6 { return .many }
            return .other
        case .dsb:
            if n % 100 == 1 { return .one }
            if n % 100 == 2 { return .two }
            if (3...4).contains(n % 100) { return .few }
            return .other
        case .fr:
            if n == 0 || n == 1 { return .one }
            if !(n == 0) && n % 1000000 == 0 { return .many }
            return .other
        case .ga:
            if n == 1 { return .one }
            if n == 2 { return .two }
            if (3...6).contains(n) { return .few }
            if (7...10).contains(n) { return .many }
            return .other
        case .gd:
            if n == 1 || n == 11 { return .one }
            if n == 2 || n == 12 { return .two }
            if (3...10).contains(n) || (13...19).contains(n) { return .few }
            return .other
        case .gv:
            if n % 10 == 1 { return .one }
            if n % 10 == 2 { return .two }
            if n % 100 == 0 || n % 100 == 20 || n % 100 == 40 || n % 100 == 60 || n % 100 == 80 { return .few }
            return .other
        case .he:
            if n == 1 { return .one }
            if n == 2 { return .two }
            return .other
        case .`is`:
            if n % 10 == 1 && !(n % 100 == 11) { return .one }
            return .other
        case .kw:
            if n == 0 { return .zero }
            if n == 1 { return .one }
            if ((n % 100 == 2 || n % 100 == 22 || n % 100 == 42 || n % 100 == 62 || n % 100 == 82) || (n % 1000 == 0 && ((1000...20000).contains(n % 100000) || n % 100000 == 40000 || n % 100000 == 60000 || n % 100000 == 80000))) || (!(n == 0) && n % 1000000 == 100000) { return .two }
            if n % 100 == 3 || n % 100 == 23 || n % 100 == 43 || n % 100 == 63 || n % 100 == 83 { return .few }
            if !(n == 1) && (n % 100 == 1 || n % 100 == 21 || n % 100 == 41 || n % 100 == 61 || n % 100 == 81) { return .many }
            return .other
        case .lt:
            if n % 10 == 1 && !((11...19).contains(n % 100)) { return .one }
            if (2...9).contains(n % 10) && !((11...19).contains(n % 100)) { return .few }
            return .other
        case .lv:
            if n % 10 == 0 || (11...19).contains(n % 100) { return .zero }
            if n % 10 == 1 && !(n % 100 == 11) { return .one }
            return .other
        case .mt:
            if n == 1 { return .one }
            if n == 2 { return .two }
            if n == 0 || (3...10).contains(n % 100) { return .few }
            if (11...19).contains(n % 100) { return .many }
            return .other
        case .pl:
            if n == 1 { return .one }
            if (2...4).contains(n % 10) && !((12...14).contains(n % 100)) { return .few }
            if ((!(n == 1) && (0...1).contains(n % 10)) || (5...9).contains(n % 10)) || (12...14).contains(n % 100) { return .many }
            return .other
        case .ro:
            if n == 1 { return .one }
            if n == 0 || (!(n == 1) && (1...19).contains(n % 100)) { return .few }
            return .other
        case .shi:
            if n == 0 || n == 1 { return .one }
            if (2...10).contains(n) { return .few }
            return .other
        case .tzm:
            if (0...1).contains(n) || (11...99).contains(n) { return .one }
            return .other
        }
    }
}

extension TimeFormat {
    /// The formats of the languages that the project includes, by the name of their strings file.
    static let all: [String: TimeFormat] = [
        "ar": TimeFormat(
            pattern: "{day} {month} {year}، {hour12}:{minute} {dayPeriod}",
            months: ["يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"],
            dayPeriods: ["ص", "م"],
            minutesAgo: [.zero: "قبل {0} دقيقة", .one: "قبل دقيقة واحدة", .two: "قبل دقيقتين", .few: "قبل {0} دقائق", .many: "قبل {0} دقيقة", .other: "قبل {0} دقيقة"],
            hoursAgo: [.zero: "قبل {0} ساعة", .one: "قبل ساعة واحدة", .two: "قبل ساعتين", .few: "قبل {0} ساعات", .many: "قبل {0} ساعة", .other: "قبل {0} ساعة"],
            daysAgo: [.zero: "قبل {0} يوم", .one: "قبل يوم واحد", .two: "قبل يومين", .few: "قبل {0} أيام", .many: "قبل {0} يومًا", .other: "قبل {0} يوم"]
        ),
        "de": TimeFormat(
            pattern: "{day}. {month} {year}, {twoDigitHour24}:{minute}",
            months: ["Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.one: "vor {0} Minute", .other: "vor {0} Minuten"],
            hoursAgo: [.one: "vor {0} Stunde", .other: "vor {0} Stunden"],
            daysAgo: [.one: "vor {0} Tag", .other: "vor {0} Tagen"]
        ),
        "en": TimeFormat(
            pattern: "{month} {day}, {year}, {hour12}:{minute} {dayPeriod}",
            months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.one: "{0} minute ago", .other: "{0} minutes ago"],
            hoursAgo: [.one: "{0} hour ago", .other: "{0} hours ago"],
            daysAgo: [.one: "{0} day ago", .other: "{0} days ago"]
        ),
        "es": TimeFormat(
            pattern: "{day} {month} {year}, {hour24}:{minute}",
            months: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
            dayPeriods: ["a. m.", "p. m."],
            minutesAgo: [.one: "hace {0} minuto", .other: "hace {0} minutos"],
            hoursAgo: [.one: "hace {0} hora", .other: "hace {0} horas"],
            daysAgo: [.one: "hace {0} día", .other: "hace {0} días"]
        ),
        "fr": TimeFormat(
            pattern: "{day} {month} {year}, {twoDigitHour24}:{minute}",
            months: ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.one: "il y a {0} minute", .other: "il y a {0} minutes"],
            hoursAgo: [.one: "il y a {0} heure", .other: "il y a {0} heures"],
            daysAgo: [.one: "il y a {0} jour", .other: "il y a {0} jours"]
        ),
        "he": TimeFormat(
            pattern: "{day} ב{month} {year}, {hour24}:{minute}",
            months: ["ינו׳", "פבר׳", "מרץ", "אפר׳", "מאי", "יוני", "יולי", "אוג׳", "ספט׳", "אוק׳", "נוב׳", "דצמ׳"],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.one: "לפני דקה", .two: "לפני שתי דקות", .other: "לפני {0} דקות"],
            hoursAgo: [.one: "לפני שעה", .two: "לפני שעתיים", .other: "לפני {0} שעות"],
            daysAgo: [.one: "לפני יום {0}", .two: "לפני יומיים", .other: "לפני {0} ימים"]
        ),
        "id": TimeFormat(
            pattern: "{day} {month} {year} {twoDigitHour24}.{minute}",
            months: ["Jan", "Feb", "Mar", "Apr", "Mei", "Jun", "Jul", "Agu", "Sep", "Okt", "Nov", "Des"],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.other: "{0} menit yang lalu"],
            hoursAgo: [.other: "{0} jam yang lalu"],
            daysAgo: [.other: "{0} hari yang lalu"]
        ),
        "it": TimeFormat(
            pattern: "{day} {month} {year}, {twoDigitHour24}:{minute}",
            months: ["gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.one: "{0} minuto fa", .other: "{0} minuti fa"],
            hoursAgo: [.one: "{0} ora fa", .other: "{0} ore fa"],
            daysAgo: [.one: "{0} giorno fa", .other: "{0} giorni fa"]
        ),
        "ja": TimeFormat(
            pattern: "{year}年{monthNumber}月{day}日 {hour24}:{minute}",
            months: ["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"],
            dayPeriods: ["午前", "午後"],
            minutesAgo: [.other: "{0} 分前"],
            hoursAgo: [.other: "{0} 時間前"],
            daysAgo: [.other: "{0} 日前"]
        ),
        "ko": TimeFormat(
            pattern: "{year}년 {month} {day}일 {dayPeriod} {hour12}:{minute}",
            months: ["1월", "2월", "3월", "4월", "5월", "6월", "7월", "8월", "9월", "10월", "11월", "12월"],
            dayPeriods: ["오전", "오후"],
            minutesAgo: [.other: "{0}분 전"],
            hoursAgo: [.other: "{0}시간 전"],
            daysAgo: [.other: "{0}일 전"]
        ),
        "nl": TimeFormat(
            pattern: "{day} {month} {year}, {twoDigitHour24}:{minute}",
            months: ["jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"],
            dayPeriods: ["a.m.", "p.m."],
            minutesAgo: [.one: "{0} minuut geleden", .other: "{0} minuten geleden"],
            hoursAgo: [.one: "{0} uur geleden", .other: "{0} uur geleden"],
            daysAgo: [.one: "{0} dag geleden", .other: "{0} dagen geleden"]
        ),
        "pl": TimeFormat(
            pattern: "{day} {month} {year}, {twoDigitHour24}:{minute}",
            months: ["sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru"],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.one: "{0} minutę temu", .few: "{0} minuty temu", .many: "{0} minut temu", .other: "{0} minuty temu"],
            hoursAgo: [.one: "{0} godzinę temu", .few: "{0} godziny temu", .many: "{0} godzin temu", .other: "{0} godziny temu"],
            daysAgo: [.one: "{0} dzień temu", .few: "{0} dni temu", .many: "{0} dni temu", .other: "{0} dnia temu"]
        ),
        "pt-BR": TimeFormat(
            pattern: "{day} de {month} de {year} {twoDigitHour24}:{minute}",
            months: ["jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez."],
            dayPeriods: ["AM", "PM"],
            minutesAgo: [.one: "há {0} minuto", .other: "há {0} minutos"],
            hoursAgo: [.one: "há {0} hora", .other: "há {0} horas"],
            daysAgo: [.one: "há {0} dia", .other: "há {0} dias"]
        ),
        "sv": TimeFormat(
            pattern: "{day} {month} {year} {twoDigitHour24}:{minute}",
            months: ["jan.", "feb.", "mars", "apr.", "maj", "juni", "juli", "aug.", "sep.", "okt.", "nov.", "dec."],
            dayPeriods: ["fm", "em"],
            minutesAgo: [.one: "för {0} minut sedan", .other: "för {0} minuter sedan"],
            hoursAgo: [.one: "för {0} timme sedan", .other: "för {0} timmar sedan"],
            daysAgo: [.one: "för {0} dag sedan", .other: "för {0} dagar sedan"]
        ),
        "tr": TimeFormat(
            pattern: "{day} {month} {year} {twoDigitHour24}:{minute}",
            months: ["Oca", "Şub", "Mar", "Nis", "May", "Haz", "Tem", "Ağu", "Eyl", "Eki", "Kas", "Ara"],
            dayPeriods: ["ÖÖ", "ÖS"],
            minutesAgo: [.one: "{0} dakika önce", .other: "{0} dakika önce"],
            hoursAgo: [.one: "{0} saat önce", .other: "{0} saat önce"],
            daysAgo: [.one: "{0} gün önce", .other: "{0} gün önce"]
        ),
        "uk": TimeFormat(
            pattern: "{day} {month} {year} р., {twoDigitHour24}:{minute}",
            months: ["січ.", "лют.", "бер.", "квіт.", "трав.", "черв.", "лип.", "серп.", "вер.", "жовт.", "лист.", "груд."],
            dayPeriods: ["дп", "пп"],
            minutesAgo: [.one: "{0} хвилину тому", .few: "{0} хвилини тому", .many: "{0} хвилин тому", .other: "{0} хвилини тому"],
            hoursAgo: [.one: "{0} годину тому", .few: "{0} години тому", .many: "{0} годин тому", .other: "{0} години тому"],
            daysAgo: [.one: "{0} день тому", .few: "{0} дні тому", .many: "{0} днів тому", .other: "{0} дня тому"]
        ),
        "zh-CN": TimeFormat(
            pattern: "{year}年{monthNumber}月{day}日 {twoDigitHour24}:{minute}",
            months: ["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"],
            dayPeriods: ["上午", "下午"],
            minutesAgo: [.other: "{0}分钟前"],
            hoursAgo: [.other: "{0}小时前"],
            daysAgo: [.other: "{0}天前"]
        ),
        "zh-TW": TimeFormat(
            pattern: "{year}年{monthNumber}月{day}日 {twoDigitHour24}:{minute}",
            months: ["1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"],
            dayPeriods: ["上午", "下午"],
            minutesAgo: [.other: "{0} 分鐘前"],
            hoursAgo: [.other: "{0} 小時前"],
            daysAgo: [.other: "{0} 天前"]
        ),
    ]
}
