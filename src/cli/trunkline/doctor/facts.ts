import type { Config } from '../../../config.js'
import type { TargetFlags } from '../servers/target.js'
import type { Surroundings } from '../surroundings.js'
import type { Trunks } from './trunks.js'

/** Facts that all checks use. */
export interface Facts {
  readonly config: Config
  readonly env: Surroundings['env']
  readonly flags: TargetFlags
  /** The URL of the public listener. */
  readonly url: string
  /** The answer of `/readyz`; undefined when no server answers. */
  readonly readiness: Readiness | undefined
  /** The carriers and gateways; undefined when no server answers. */
  readonly trunks?: Trunks | undefined
}

export interface Readiness {
  readonly isReady: boolean
  readonly detail: Readonly<Record<string, string>>
  /** Time of the server's `Date` header, epoch ms. */
  readonly date: number
}

const LIMIT_MS = 5_000

export async function readinessOf(url: string): Promise<Readiness | undefined> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LIMIT_MS) })
    // Our own server wrote it; another program's answer has no status.
    const { status, ...detail } = (await answer.json()) as Record<string, string>
    if (status === undefined) return undefined
    const date = Date.parse(answer.headers.get('date') ?? '')
    return { isReady: answer.ok, detail, date }
  } catch {
    return undefined // Nobody answers there, or not as trunkline does: the caller says so.
  }
}
