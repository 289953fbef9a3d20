import { RATE, toneShare } from './tone.js'

const LOW = [697, 770, 852, 941]
const HIGH = [1209, 1336, 1477, 1633]
const KEYS = ['123A', '456B', '789C', '*0#D']
const WINDOW = RATE / 50
/** Minimum shares of one tone, and of both, in a window's energy. */
const ONE_SHARE = 0.2
const BOTH_SHARE = 0.7

/** Keys whose tones are in the audio (ITU-T Q.23), each once; a key takes three windows of 20 ms. */
export function keysInAudio(samples: Int16Array): string {
  let keys = ''
  let held = ''
  let windows = 0
  for (let at = 0; at + WINDOW <= samples.length; at += WINDOW) {
    const key = keyIn(samples.subarray(at, at + WINDOW))
    windows = key === held ? windows + 1 : 1
    held = key
    if (windows === 3) keys += key
  }
  return keys
}

function keyIn(window: Int16Array): string {
  const lows = LOW.map((hz) => toneShare(window, hz))
  const highs = HIGH.map((hz) => toneShare(window, hz))
  const low = Math.max(...lows)
  const high = Math.max(...highs)
  if (low < ONE_SHARE || high < ONE_SHARE || low + high < BOTH_SHARE) return ''
  return KEYS[lows.indexOf(low)]?.[highs.indexOf(high)] ?? ''
}
