import { linkAbort } from '../../../platform/async/abort.js'
import { pause } from '../../../platform/async/sleep.js'
import { LegEndedError, UnsafeArgumentError } from '../port.js'
import { sendDigitCommand } from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

const TONE_MS = 100
const GAP_MS = 100
const PAUSES_MS: Readonly<Record<string, number>> = { w: 500, W: 1_000 }

/** Sends digits one by one, so that an abort stops the rest; see `LegMedia.sendDigits`. */
export async function sendDigits(
  endpoint: MediaEndpoint,
  digits: string,
  signal: AbortSignal,
): Promise<void> {
  if (!/^[0-9A-Da-d*#wW]*$/.test(digits)) throw new UnsafeArgumentError('not telephone digits')
  using either = linkAbort([signal, endpoint.over])
  for (const digit of digits) {
    signal.throwIfAborted()
    const pauseMs = PAUSES_MS[digit]
    if (pauseMs === undefined) await endpoint.api(sendDigitCommand(endpoint.uuid, digit, TONE_MS))
    await pause(pauseMs ?? TONE_MS + GAP_MS, either.signal)
    signal.throwIfAborted()
    if (endpoint.over.aborted) throw new LegEndedError('the leg is over')
  }
}
