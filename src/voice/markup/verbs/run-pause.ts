import type { PauseVerb } from '../parse/pause.js'
import type { VerbContext } from './verb-run.js'

/**
 * Pause: waits. An answered call sends silence meanwhile, so that no firewall on the way drops its
 * flow.
 */
export async function runPause(verb: PauseVerb, context: VerbContext): Promise<void> {
  const { host, signal, sleep } = context
  const hearer = host.audience ?? (host.leg.state === 'answered' ? host.leg.media : undefined)
  if (hearer !== undefined)
    await hearer.play({ type: 'silence', durationMs: verb.durationMs }, signal)
  else await sleep(verb.durationMs, signal)
}
