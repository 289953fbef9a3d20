import type { PauseVerb } from '../parse/pause.js'
import type { VerbContext } from './verb-run.js'

/** Pause: waits. An answered call sends silence meanwhile, so that no firewall closes its flow. */
export async function runPause(verb: PauseVerb, context: VerbContext): Promise<void> {
  const { host, signal, sleep } = context
  const listener = host.audience ?? (host.leg.state === 'answered' ? host.leg.media : undefined)
  if (listener !== undefined)
    await listener.play({ type: 'silence', durationMs: verb.durationMs }, signal)
  else await sleep(verb.durationMs, signal)
}
