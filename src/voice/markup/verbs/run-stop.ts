import type { StopVerb } from '../parse/stop.js'
import type { VerbContext } from './verb-run.js'

/** Stop: ends streams and the recording that Start started. One that has already ended is only a warning. */
export function runStop({ nouns }: StopVerb, { host }: VerbContext): Promise<void> {
  for (const noun of nouns) {
    if (noun.type === 'stopped-recording') {
      if (!host.stopRecording())
        host.log({ type: 'warning', code: 12200, message: 'Stop: nothing is recorded' })
    } else if (noun.type === 'other') {
      const message = `<${noun.element.name}> is not supported in <Stop>`
      host.log({ type: 'error', code: 13750, message })
    } else if (noun.name !== undefined && !host.stopStream(noun.name)) {
      const message = `Stop: there is no stream "${noun.name}"`
      host.log({ type: 'warning', code: 12200, message })
    }
  }
  return Promise.resolve()
}
