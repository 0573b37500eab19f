"""Where documents come from: EDGAR and folders, behind one protocol."""
