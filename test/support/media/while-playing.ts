import { expect } from 'vitest'
import type { Leg } from '../../../src/voice/telephony/port.js'

const TONE = { type: 'tone', frequencies: [440], onMs: 10_000, offMs: 0, repeat: 1 } as const

/**
 * Plays 440 Hz to the leg's party until `heard` resolves. Rejects if `heard` rejects or the playback ends
 * before.
 */
export async function whilePlaying(leg: Leg, heard: () => Promise<unknown>): Promise<void> {
  const stop = new AbortController()
  const playing = leg.media.play(TONE, stop.signal)
  await Promise.all([
    expect(playing).rejects.toThrow('heard'),
    heard().finally(() => {
      stop.abort(new Error('heard'))
    }),
  ])
}
