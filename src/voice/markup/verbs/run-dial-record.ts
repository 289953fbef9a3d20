/** What a Dial records: the caller on the left, whoever it is connected with on the right. */
import type { HostedRecording } from '../hosted-recording.js'
import type { DialVerb } from '../parse/dial.js'
import { resolveCallback } from './resolve-callback.js'
import type { VerbContext } from './verb-run.js'

export interface DialRecorder {
  /** The caller is there; called parties are about to ring. */
  ringing(): Promise<void>
  /** About to be connected. */
  answered(): Promise<void>
  /** Ends it; resolves with what the action learns of it, once its file is complete. */
  finish(): Promise<Readonly<Record<string, string>>>
}

/** Begins at most once, whenever it is first possible. */
export function dialRecorder({ recording }: DialVerb, context: VerbContext): DialRecorder {
  const { host, documentUrl } = context
  let begun: Promise<HostedRecording> | undefined
  const begin = async (): Promise<void> => {
    if (recording === undefined || host.leg.state !== 'answered') return
    const { channels, track, trim, statusCallback } = recording
    begun ??= host.record({
      source: 'DialVerb',
      channels,
      track,
      trim,
      callback: resolveCallback(statusCallback, documentUrl, 'Dial', host),
    })
    await begun
  }
  return {
    ringing: async () => {
      if (recording?.from === 'ringing') await begin()
    },
    answered: begin,
    finish: async () => {
      const end = await (await begun)?.stop()
      return end?.type === 'recorded' ? end.params : {}
    },
  }
}
