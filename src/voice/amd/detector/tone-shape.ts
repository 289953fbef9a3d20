/**
 * The shape of a tone that ended: the power at multiples and fractions of its frequency, how evenly it holds
 * or glides, and how it begins and ends. A sung or shouted vowel is nearly a tone, but its overtones, tremor
 * and soft edges distinguish it from a beep.
 */
import type { RecentSpectra } from './recent-spectra.js'
import { BIN_HZ, peakShift } from './spectrum.js'
import type { ToneRun } from './tone-run.js'

/** A band of the spectrum while the tone sounds. */
export interface Band {
  /** The band's power relative to the tone's, in dB. */
  readonly besideDb: number
  /** The band's rise above its level before or after the tone, whichever is softer, in dB. */
  readonly aboveDb: number
}

/** A straight line through the frames of a tone. */
export interface Line {
  /** The change of the value per frame. */
  readonly slope: number
  /** Root mean square distance from the line. */
  readonly off: number
}

export interface ToneShape {
  /** The bands at OVERTONES times the tone's frequency. */
  readonly overtones: readonly Band[]
  /** The band below the search range of tones, where a low voice has its pitch. */
  readonly low: Band
  /** The line through the tone's frequencies, in Hz. */
  readonly frequency: Line
  /** The line through the tone's levels, in dB. */
  readonly level: Line
  /** Frames at its start and at its end in which it is softer than in its middle. */
  readonly risingFrames: number
  readonly fallingFrames: number
  /** Frames after it in which its frequency still sounds. */
  readonly ringingFrames: number
  /** The level of its frequency in the frame before it and in its first two, relative to its middle. */
  readonly onsetDb: readonly [number, number, number]
}

/** Ratios to the tone's frequency, which may be the second or third harmonic of a voice, or its pitch. */
export const OVERTONES = [1 / 3, 1 / 2, 2 / 3, 4 / 3, 3 / 2, 2, 3] as const
const LOW = { first: 2, last: 7 } as const
/** Bins on each side of a frequency that are read with it. */
const REACH = 1
const PEAK_REACH = 2
/** Frames at the start and end that the tone fills only partly. */
const EDGE_FRAMES = 2
/** The frames before a tone to compare its bands with, counted back from its first. */
const BEFORE = { from: 8, to: 2 } as const
/** Level relative to the tone below which a band is silent, dB. */
const SILENT_DB = -45
const SOFTER_DB = 3
const RINGING_DB = 25
/** Minimum number of frames for a line. */
const FEWEST = 4

/** A range of frames; `to` is excluded. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Returns the shape of a tone; `until` is the newest frame. */
export function shapeOf(run: ToneRun, spectra: RecentSpectra, until: number): ToneShape {
  const { startFrame: start } = run
  const end = start + run.frames
  const pitch = run.first / BIN_HZ
  const from = Math.min(start + EDGE_FRAMES, end - EDGE_FRAMES - 1)
  const middle: Span = { from, to: Math.max(end - EDGE_FRAMES, from + 1) }
  const around: readonly Span[] = [
    { from: Math.max(0, start - BEFORE.from), to: start - BEFORE.to },
    { from: end + 1, to: until + 1 },
  ]
  const toneAt = (frame: number) => powerAt(spectra, frame, pitch)
  const tone = meanOf(toneAt, middle)
  const bandOf = (at: (frame: number) => number): Band => {
    const besideDb = decibels(meanOf(at, middle) / tone)
    const softest = Math.min(...around.map((span) => decibels(meanOf(at, span) / tone)))
    return { besideDb, aboveDb: besideDb - Math.max(SILENT_DB, softest) }
  }
  const levels = valuesOf((frame) => decibels(toneAt(frame)), middle)
  const middleDb = levels.toSorted((a, b) => a - b)[levels.length >> 1] ?? SILENT_DB
  const offMiddle = (frame: number) => decibels(toneAt(Math.max(0, frame))) - middleDb
  const isSofter = (frame: number) => offMiddle(frame) < -SOFTER_DB
  const isRinging = (frame: number) => offMiddle(frame) > -RINGING_DB
  return {
    overtones: OVERTONES.map((times) => bandOf((frame) => powerAt(spectra, frame, pitch * times))),
    low: bandOf((frame) => spectra.powerIn(frame, LOW.first, LOW.last)),
    frequency: lineThrough(valuesOf((frame) => hzAt(spectra, frame, pitch), middle)),
    level: lineThrough(levels),
    risingFrames: countWhile(isSofter, start, end),
    fallingFrames: countWhile(isSofter, end - 1, start),
    ringingFrames: countWhile(isRinging, end, until + 1),
    onsetDb: [offMiddle(start - 1), offMiddle(start), offMiddle(start + 1)],
  }
}

/** Returns the power around a frequency, which is given in bins. */
function powerAt(spectra: RecentSpectra, frame: number, pitch: number): number {
  const bin = Math.round(pitch)
  return spectra.powerIn(frame, bin - REACH, bin + REACH)
}

/** Returns the frequency in Hz of the peak near a frequency, which is given in bins. */
function hzAt(spectra: RecentSpectra, frame: number, pitch: number): number {
  const bin = Math.round(pitch)
  const peak = spectra.peakIn(frame, bin - PEAK_REACH, bin + PEAK_REACH)
  const [left, middle, right] = [-1, 0, 1].map((k) => spectra.powerIn(frame, peak + k, peak + k))
  return BIN_HZ * (peak + peakShift(left ?? 0, middle ?? 0, right ?? 0))
}

function valuesOf(value: (frame: number) => number, { from, to }: Span): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => value(from + i))
}

function meanOf(value: (frame: number) => number, { from, to }: Span): number {
  let sum = 0
  for (let frame = from; frame < to; frame++) sum += value(frame)
  return sum / Math.max(1, to - from)
}

/** Counts consecutive frames, from `from` towards `to` (excluded), for which `is` holds. */
function countWhile(is: (frame: number) => boolean, from: number, to: number): number {
  const step = Math.sign(to - from)
  let count = 0
  for (let frame = from; frame !== to && is(frame); frame += step) count++
  return count
}

function lineThrough(values: readonly number[]): Line {
  const n = values.length
  if (n < FEWEST) return { slope: 0, off: 0 }
  const mean = values.reduce((sum, one) => sum + one, 0) / n
  const middle = (n - 1) / 2
  const rising = values.reduce((sum, one, i) => sum + (i - middle) * (one - mean), 0)
  const slope = rising / ((n * (n * n - 1)) / 12)
  const squares = values.reduce((sum, one, i) => sum + (one - mean - slope * (i - middle)) ** 2, 0)
  return { slope, off: Math.sqrt(squares / n) }
}

function decibels(share: number): number {
  return 10 * Math.log10(share + 1e-10)
}
