import type { RecordingNoun } from '../parse/recording.js'
import { resolveCallback } from './resolve-callback.js'
import type { VerbContext } from './verb-run.js'

/** Records the call beside its document, until Stop or the call's end. */
export function startRecording(
  { channels, track, trim, statusCallback }: RecordingNoun,
  { host, documentUrl }: VerbContext,
): Promise<void> {
  const callback = resolveCallback(statusCallback, documentUrl, 'Recording', host)
  const source = 'StartCallRecordingTwiML'
  return host.startRecording({ source, channels, track, trim, callback })
}
