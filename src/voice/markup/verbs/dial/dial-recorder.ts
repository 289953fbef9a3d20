/** Dial's recording: the caller on the left channel, the connected party on the right one. */
import type { HostedRecording } from '../../host.js'
import type { DialVerb } from '../../parse/dial.js'
import { resolveCallback } from '../resolve-url.js'
import type { VerbContext } from '../verb-run.js'

export interface DialRecorder {
  /** Must be called when the caller's leg is ready and the parties are about to ring. */
  ringing(): Promise<void>
  /** Must be called when caller and party are about to be connected. */
  answered(): Promise<void>
  /** Ends the recording. Resolves with the action's parameters about it, once its file is complete. */
  finish(): Promise<Readonly<Record<string, string>>>
}

/** Records at most once, from the first moment that the verb allows. */
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
