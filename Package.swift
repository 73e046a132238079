// swift-tools-version: 6.2
import PackageDescription

/// `Tests/Fuzz/run.sh` sets this: libFuzzer instruments every target and brings the `main` of the Fuzz target.
let isFuzzing = Context.environment["LATCHKEY_FUZZ"] == "1"
let fuzzing = isFuzzing ? ["-sanitize=fuzzer,address"] : []

/// Strict everywhere: a warning is an error, and every unsafe use of C is spelled out where it happens.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]
let settings = strict + (isFuzzing ? [.unsafeFlags(fuzzing)] : [])

/// Whether an app uses this package.
///
/// No package may depend on a target with unsafe flags, and apps use JSON with LatchkeyClient. SwiftPM and Xcode keep the
/// packages that they fetch in a folder of this name.
let isDependency = Context.packageDirectory.contains("/checkouts/")

/// Targets that are optimised in debug builds, too: tests spend much of their time in them.
let optimised: Set =
    isFuzzing || isDependency
    ? []
    : [
        "JSON", "Crypto", "Tokens", "Telemetry", "HTTPServer", "Database", "SMTPHarness",
    ]

/// A Debian C library, wrapped by the one target that depends on it.
func library(_ name: String, pkgConfig: String?, apt package: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/CLibraries/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([package])]
    )
}

func target(
    _ name: String,
    path: String? = nil,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: path ?? "Sources/\(name)",
        exclude: exclude,
        swiftSettings: settings + (optimised.contains(name) ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : [])
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies,
        path: "Tests/\(name)",
        resources: resources,
        swiftSettings: settings
    )
}

let package = Package(
    name: "latchkey",
    // For LatchkeyClient: the server is for Linux.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "latchkey", targets: ["latchkey"]),
        .library(name: "LatchkeyClient", targets: ["LatchkeyClient"]),
        .library(name: "LatchkeyApp", targets: ["LatchkeyApp"]),
    ],
    targets: [
        library("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        library("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev"),
        library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        library("CIDN2", pkgConfig: "libidn2", apt: "libidn2-dev"),
        library("CUnistring", pkgConfig: nil, apt: "libunistring-dev"),
        library("CMalloc", pkgConfig: nil, apt: "libc6-dev"),
        .target(name: "Resources", path: "Sources/Resources", cSettings: [.unsafeFlags(["-std=gnu23"])]),

        target("JSON"),
        target("Network"),
        target("Telemetry"),
        target("Crypto", ["COpenSSL"]),
        target("Files"),
        target("Tokens", ["Crypto", "Files", "JSON"]),
        target("Accounts", ["Tokens", "Crypto", "JSON", "CIDN2", "CUnistring"]),
        target("Transfer", ["Network", "CCurl"]),
        target("Database", ["Crypto", "Files", "Telemetry", "CSQLite", "CPostgreSQL"]),
        target("AccountDatabase", ["Database", "Accounts", "Tokens", "Resources"], exclude: ["Migrations", "Schema"]),
        target("LeasedQueue"),
        target("Mail", ["LeasedQueue", "Accounts", "JSON", "Tokens", "Transfer", "Resources"]),
        target("HTTPServer", ["Network", "Telemetry", "CMicrohttpd"]),
        target("SMTPHarness", ["Crypto"]),
        target(
            "Server",
            [
                "Accounts", "Tokens", "Crypto", "JSON", "Network", "Database", "AccountDatabase", "Mail", "LeasedQueue",
                "HTTPServer", "SMTPHarness", "Transfer", "Telemetry", "Files", "Resources",
            ]
        ),
        target("LatchkeyClient", path: "Sources/Client", ["Files", "JSON"]),
        target("LatchkeyApp", ["LatchkeyClient"]),
        .executableTarget(
            name: "latchkey",
            dependencies: ["Server", "LatchkeyClient", "SMTPHarness", "Transfer", "Files", "JSON", "CMalloc"],
            path: "Sources/latchkey",
            swiftSettings: settings
        ),

        // A PostgreSQL server for the tests of all that stores.
        target(
            "PostgreSQLHarness",
            path: "Tests/PostgreSQLHarness",
            ["Database", "AccountDatabase", "CPostgreSQL", "ProcessHarness"]
        ),
        // New databases of both engines, and threads, for the tests of Database and AccountDatabase.
        target("DatabaseHarness", path: "Tests/DatabaseHarness", ["Database", "PostgreSQLHarness"]),
        // Starts other programs for the tests.
        target("ProcessHarness", path: "Tests/ProcessHarness"),
        tests("JSONTests", ["JSON"]),
        tests("CryptoTests", ["Crypto"]),
        tests("TokensTests", ["Tokens", "Crypto", "JSON"]),
        tests(
            "AccountsTests",
            [
                "Accounts", "Tokens", "Crypto", "JSON", "Database", "AccountDatabase", "DatabaseHarness",
                "PostgreSQLHarness",
            ]
        ),
        tests("TransferTests", ["Transfer", "Network", "SMTPHarness"]),
        tests("DatabaseTests", ["Database", "DatabaseHarness", "PostgreSQLHarness"]),
        tests(
            "AccountDatabaseTests",
            [
                "AccountDatabase", "Database", "CSQLite", "Accounts", "Tokens", "DatabaseHarness",
                "PostgreSQLHarness",
            ]
        ),
        tests("FilesTests", ["Files"]),
        tests("TelemetryTests", ["Telemetry"]),
        tests("LeasedQueueTests", ["LeasedQueue"]),
        tests(
            "MailTests",
            ["Mail", "LeasedQueue", "Accounts", "Tokens", "Crypto", "Transfer", "SMTPHarness", "Resources"]
        ),
        tests("HTTPServerTests", ["HTTPServer", "Telemetry", "Network", "ProcessHarness"]),
        tests("SMTPHarnessTests", ["SMTPHarness", "Crypto", "ProcessHarness"]),
        tests(
            "ServerTests",
            [
                "Server", "Accounts", "Tokens", "Crypto", "JSON", "Database", "AccountDatabase", "HTTPServer",
                "SMTPHarness", "Telemetry", "Transfer", "PostgreSQLHarness", "ProcessHarness",
            ]
        ),
        tests(
            "HistoryTests",
            [
                "Server", "Accounts", "Tokens", "Crypto", "JSON", "Database", "AccountDatabase", "Mail",
                "DatabaseHarness", "PostgreSQLHarness",
            ]
        ),
        tests("ClientTests", ["LatchkeyApp", "LatchkeyClient", "JSON", "Server", "SMTPHarness", "PostgreSQLHarness"]),
        tests(
            "CommandLineTests",
            ["latchkey", "Server", "JSON", "PostgreSQLHarness", "ProcessHarness"],
            resources: [.copy("Help")]
        ),
        tests(
            "FaultTests",
            ["latchkey", "CSQLite", "JSON", "HTTPServer", "SMTPHarness", "PostgreSQLHarness", "ProcessHarness"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

if isFuzzing {
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "JSON", "Accounts", "Tokens", "Crypto", "SMTPHarness", "Mail", "Database", "AccountDatabase",
                "HTTPServer", "Server",
            ],
            path: "Tests/Fuzz",
            exclude: ["Corpus", "run.sh"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(fuzzing + ["-use-ld=lld"])]
        )
    )
}

// `make check` names the one test target that it builds.
if let checked = Context.environment["LATCHKEY_CHECK"] {
    package.targets.removeAll { $0.type == .test && $0.name != checked }
}
