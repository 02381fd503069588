package main

// peakUnit is that of ru_maxrss: kilobytes.
const peakUnit = 1024
