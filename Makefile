# Filled in below.
build:
	swift build
