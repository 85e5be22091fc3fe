"""The parts of tools/bench.py: options, rows and their peers, timing in pairs, curves of growth, pictures and pages."""
