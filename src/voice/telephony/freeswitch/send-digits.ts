import { linkAbort } from '../../../platform/async/abort.js'
import { pause } from '../../../platform/async/sleep.js'
import type { AudioSource } from '../leg-media.js'
import { LegEndedError, UnsafeArgumentError } from '../port.js'
import { sendDigitCommand } from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

const TONE_MS = 100
const GAP_MS = 100
const PAUSES_MS: Readonly<Record<string, number>> = { w: 500, W: 1_000 }
const ROWS = ['123A', '456B', '789C', '*0#D']
const ROWS_HZ = [697, 770, 852, 941]
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633]

export type PlayTone = (source: AudioSource, signal: AbortSignal) => Promise<void>

/**
 * Sends digits one by one, so that an abort stops the rest; see `LegMedia.sendDigits`. A peer without
 * telephone events gets each as its tones, which are played: FreeSWITCH makes tones of digits only in
 * what it sends anyway, and two at once would be one.
 */
export async function sendDigits(
  endpoint: MediaEndpoint,
  digits: string,
  signal: AbortSignal,
  play: PlayTone,
): Promise<void> {
  if (!/^[0-9A-Da-d*#wW]*$/.test(digits)) throw new UnsafeArgumentError('not telephone digits')
  using either = linkAbort([signal, endpoint.over])
  for (const digit of digits) {
    signal.throwIfAborted()
    const pauseMs = PAUSES_MS[digit]
    if (pauseMs === undefined && endpoint.keyWay === 'audio') await play(toneOf(digit), signal)
    else {
      if (pauseMs === undefined) await endpoint.api(sendDigitCommand(endpoint.uuid, digit, TONE_MS))
      await pause(pauseMs ?? TONE_MS + GAP_MS, either.signal)
    }
    signal.throwIfAborted()
    if (endpoint.over.aborted) throw new LegEndedError('the leg is over')
  }
}

/** The two tones of a key (ITU-T Q.23), and the pause after it. */
function toneOf(digit: string): AudioSource {
  const key = digit.toUpperCase()
  const row = ROWS.findIndex((keys) => keys.includes(key))
  const frequencies = [ROWS_HZ[row] ?? 0, COLUMNS_HZ[ROWS[row]?.indexOf(key) ?? 0] ?? 0]
  return { type: 'tone', frequencies, onMs: TONE_MS, offMs: GAP_MS, repeat: 1 }
}
