import type { PauseVerb } from '../parse/pause.js'
import type { VerbContext } from './verb-run.js'

/** Waits; on an answered call by sending silence, so that no firewall on the way forgets the call. */
export async function runPause(verb: PauseVerb, context: VerbContext): Promise<void> {
  const { host, signal, sleep, onProgress } = context
  const hearer = host.audience ?? (host.leg.state === 'answered' ? host.leg.media : undefined)
  if (hearer !== undefined)
    await hearer.play({ type: 'silence', durationMs: verb.durationMs }, signal)
  else await sleep(verb.durationMs, signal)
  onProgress()
}
