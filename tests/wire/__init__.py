"""Tests of the codec. `oddities` writes legal encodings that no usual encoder writes, and reads them slowly."""
