package main

// peakUnit is that of ru_maxrss: bytes.
const peakUnit = 1
