"""What Benchmarks/run is made of: servers to measure, load to measure them with, and the table that comes of it."""
