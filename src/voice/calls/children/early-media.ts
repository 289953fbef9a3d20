import type { Leg, LegEvents } from '../../telephony/port.js'

/** Who is called was reached or is gone: what it let the caller hear until then is over. */
class EarlyAudioOver extends Error {
  override readonly name = 'EarlyAudioOver'
}

/** The leg's events; `onEarly` gets its audio before the answer, once, until the answer or the end. */
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
