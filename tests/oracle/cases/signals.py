"""Signals: filters along a line, spectra, peaks, integrals."""
