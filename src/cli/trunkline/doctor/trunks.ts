/** Asks the running server about its carriers and gateways. */
import { ServerRefusedError } from '../servers/send.js'
import { OperatorServer, operatorTarget, type TargetFlags } from '../servers/target.js'
import { type Surroundings, UsageError } from '../surroundings.js'

/** The carriers and gateways as the server checked them, or why it could not be asked. */
export type Trunks = readonly Trunk[] | { readonly notAsked: string }

export interface Trunk {
  readonly kind: 'carrier' | 'gateway'
  readonly name: string
  readonly host: string
  readonly isEnabled: boolean
  readonly hasCredentials: boolean
  readonly servers: readonly TrunkServer[]
  readonly registration: { readonly state: string; readonly status: number | null } | null
}

export interface TrunkServer {
  readonly server: string
  readonly isPublic: boolean
  readonly outcome: 'answered' | 'silent' | 'unsent'
  readonly status: number | null
  readonly elapsedMs: number
  readonly contact: string | null
  readonly reason: string | null
  readonly refusal: { readonly status: number; readonly at: number } | null
}

interface Page {
  readonly checks: readonly Trunk[]
  readonly next: number | null
}

export async function askTrunks(flags: TargetFlags, env: Surroundings['env']): Promise<Trunks> {
  try {
    const server = new OperatorServer(operatorTarget(flags, env))
    const trunks: Trunk[] = []
    for (let skip: number | null = 0; skip !== null; ) {
      const page: Page = await server.ask<Page>('POST', '/trunk-checks', { skip })
      trunks.push(...page.checks)
      skip = page.next
    }
    return trunks
  } catch (error) {
    if (error instanceof UsageError || error instanceof ServerRefusedError)
      return { notAsked: error.message }
    throw error
  }
}

/** Returns the first carrier or gateway that is on the Internet, with its server. */
export function onTheInternet(trunks: Trunks | undefined): string | undefined {
  if (trunks === undefined || 'notAsked' in trunks) return undefined
  for (const { kind, name, servers } of trunks) {
    const found = servers.find(({ isPublic }) => isPublic)
    if (found !== undefined) return `${kind} ${name} is on the Internet, at ${found.server}`
  }
  return undefined
}
