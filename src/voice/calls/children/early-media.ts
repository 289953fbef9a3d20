import type { Leg, LegEvents } from '../../telephony/port.js'

/** The abort reason of early media: the called party has answered, or its leg has ended. */
class EarlyAudioOver extends Error {
  override readonly name = 'EarlyAudioOver'
}

/**
 * Adds early media to the events of a leg: `onEarly` is called once, with a signal that aborts at
 * the answer or the end.
 */
export function withEarlyAudio(
  events: LegEvents,
  leg: () => Leg | undefined,
  onEarly: (leg: Leg, signal: AbortSignal) => void,
): LegEvents {
  const early = new AbortController()
  let isTold = false
  const over = () => {
    early.abort(new EarlyAudioOver('answered, or ended'))
  }
  return {
    ...events,
    onProgress: (progress) => {
      events.onProgress?.(progress)
      const heard = leg()
      if (!progress.hasEarlyMedia || isTold || heard === undefined) return
      isTold = true
      onEarly(heard, early.signal)
    },
    onAnswered: () => {
      over()
      events.onAnswered?.()
    },
    onEnded: (end) => {
      over()
      events.onEnded(end)
    },
  }
}
