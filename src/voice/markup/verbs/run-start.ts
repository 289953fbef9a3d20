import type { RecordingNoun } from '../parse/recording.js'
import type { StartVerb } from '../parse/start.js'
import { resolveCallback } from './resolve-url.js'
import { startStream } from './start-stream.js'
import type { VerbContext } from './verb-run.js'

/** Start: starts streams and recordings in the background, and continues at once. */
export async function runStart({ nouns }: StartVerb, context: VerbContext): Promise<void> {
  for (const noun of nouns) {
    if (noun.type === 'stream')
      await startStream(noun, { kind: 'one-way', track: noun.track }, context)
    else if (noun.type === 'recording') await startRecording(noun, context)
    else {
      const message = `<${noun.element.name}> is not supported in <Start>`
      context.host.log({ type: 'error', code: 13750, message })
    }
  }
}

/** Records the call in the background, until Stop or the call's end. */
function startRecording(
  { channels, track, trim, statusCallback }: RecordingNoun,
  { host, documentUrl }: VerbContext,
): Promise<void> {
  const callback = resolveCallback(statusCallback, documentUrl, 'Recording', host)
  const source = 'StartCallRecordingTwiML'
  return host.startRecording({ source, channels, track, trim, callback })
}
