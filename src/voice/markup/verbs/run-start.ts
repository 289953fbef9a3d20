import type { StartVerb } from '../parse/start.js'
import { startRecording } from './start-recording.js'
import { startStream } from './start-stream.js'
import type { VerbContext } from './verb-run.js'

/** Start: begins streams and recordings beside the document, and goes on at once. */
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
