import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import { isScannerName } from '../../../platform/scanners.js'
import type { SourceLimit } from '../../../platform/source-limit.js'
import type { Carriers } from '../../routing/carriers.js'

/** A sender of a request that nothing was allocated for yet. */
export interface Sender {
  readonly address: string
  /** What the request names its agent and its parties by; scanners name themselves there. */
  readonly names: readonly (string | undefined)[]
}

export type SenderVerdict =
  | { readonly type: 'carrier' | 'stranger' }
  | (Rejection & { readonly sender: 'carrier' | 'stranger' })
  /** Nothing is sent: an answer would tell a scanner that somebody is here. */
  | { readonly type: 'drop' }

export interface Rejection {
  readonly type: 'reject'
  readonly status: number
  readonly reason: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface SenderRules {
  readonly carriers: Carriers
  readonly clock: Clock
  readonly log: Logger
  /** Requests a second that one address may send, by whether it is a carrier's. */
  readonly sources: Readonly<Record<'carrier' | 'stranger', SourceLimit>>
}

const RETRY_AFTER_SECONDS = '5'

/** Sorts out scanners and senders of too much; signalling servers may have no limit of their own. */
export async function judgeSender(sender: Sender, rules: SenderRules): Promise<SenderVerdict> {
  const { carriers, clock, log, sources } = rules
  const { address } = sender
  if (isScannerName(sender.names)) {
    log.debug({ address }, 'ignored a scanner')
    return { type: 'drop' }
  }
  const type = (await carriers.byAddress(address)) === undefined ? 'stranger' : 'carrier'
  const verdict = sources[type].judge(address, clock.monotonic())
  if (verdict === 'admit') return { type }
  if (verdict === 'ignore') return { type: 'drop' }
  log.warn({ address, type }, 'an address sends more requests than it may')
  const headers = { 'Retry-After': RETRY_AFTER_SECONDS }
  return { type: 'reject', sender: type, status: 503, reason: 'Service Unavailable', headers }
}
