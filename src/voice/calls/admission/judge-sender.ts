import type { Account } from '../../../accounts/accounts.js'
import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import { isScannerName } from '../../../platform/scanners.js'
import type { SourceLimit } from '../../../platform/source-limit.js'
import type { Carriers } from '../../carriers/carriers.js'
import type { CallRecord } from '../../model/call-record.js'
import type { ResponseHeaders } from '../../telephony/port.js'
import { TRY_LATER } from './refuse-for-now.js'

/** The sender of a request for which nothing has been allocated yet. */
export interface Sender {
  readonly address: string
  /**
   * The names of the user agent and of the parties in the request; scanners name themselves there.
   */
  readonly names: readonly (string | undefined)[]
  /** True when the request is for a SIP domain of an account. */
  readonly isForDomain: boolean
}

/** `softphone`: anybody who names a SIP domain of an account, and is asked for a password. */
export type SenderType = 'carrier' | 'stranger' | 'softphone'

export type SenderVerdict =
  | { readonly type: SenderType }
  | (Rejection & { readonly sender: SenderType })
  /** Sends no response, since one would tell a scanner that a server is here. */
  | { readonly type: 'drop' }

export interface Rejection {
  readonly type: 'reject'
  readonly status: number
  readonly reason: string
  readonly headers?: ResponseHeaders
}

/** The decision on an INVITE from outside, made before anything is allocated for it. */
export type Admission =
  | { readonly type: 'take'; readonly call: CallRecord; readonly account: Account }
  | Rejection
  | { readonly type: 'drop' }

export interface SenderRules {
  readonly carriers: Pick<Carriers, 'byAddress'>
  readonly clock: Clock
  readonly log: Logger
  /** The limits of requests from one address, for each type of sender. */
  readonly sources: Readonly<Record<SenderType, SourceLimit>>
}

/**
 * Refuses scanners and addresses that send too much; signalling servers may have no limit of their
 * own.
 */
export async function judgeSender(sender: Sender, rules: SenderRules): Promise<SenderVerdict> {
  const { carriers, clock, log, sources } = rules
  const { address } = sender
  if (isScannerName(sender.names)) {
    log.debug({ address }, 'ignored a scanner')
    return { type: 'drop' }
  }
  const type = sender.isForDomain ? 'softphone' : await typeOf(address, carriers)
  const verdict = sources[type].judge(address, clock.monotonic())
  if (verdict === 'admit') return { type }
  if (verdict === 'ignore') return { type: 'drop' }
  log.warn({ address, type }, 'refused requests of an address beyond its rate')
  const refused = { type: 'reject', status: 503, reason: 'Service Unavailable' } as const
  return { ...refused, sender: type, headers: TRY_LATER }
}

async function typeOf(
  address: string,
  carriers: SenderRules['carriers'],
): Promise<'carrier' | 'stranger'> {
  return (await carriers.byAddress(address)) === undefined ? 'stranger' : 'carrier'
}
