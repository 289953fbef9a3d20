/** Corrections of a port before its data are sent to the losing carrier. */
import type { Writer } from '../platform/database/database.js'
import type { Vault } from '../platform/secrets.js'
import type { CampaignCheck, RouteCheck } from './activate-numbers.js'
import { storeChange } from './change-port.js'
import { type NumberFeatures, type Port, STATUS_OF, type Subscriber } from './port.js'
import { PortFieldError, PortStateError } from './port-errors.js'
import type { PortActor } from './storage/port-history.js'
import { setFeatures } from './storage/port-storage.js'
import { refuseDeadFeatures } from './submit-port.js'

/** A correction; absent fields are unchanged. */
export interface PortCorrection {
  readonly subscriber: Partial<Subscriber>
  /** Empty when the losing carrier requires no PIN. */
  readonly pin: string | undefined
  /** New features of numbers of the port; each replaces all earlier features of its number. */
  readonly features: readonly { readonly e164: string; readonly features: NumberFeatures }[]
}

export interface CorrectDeps {
  readonly vault: Pick<Vault, 'seal'>
  readonly hasRoute: RouteCheck
  readonly campaignProblem: CampaignCheck
}

/** States in which customers may correct data; features may change while the port is open. */
const CORRECTABLE = ['submitted', 'exception']
const OPEN = [...CORRECTABLE, 'validating', 'pending', 'foc']

export interface AskedCorrection {
  readonly correction: PortCorrection
  /** The new PIN, sealed before the transaction; undefined when it does not change. */
  readonly pinSealed: string | undefined
  readonly actor: PortActor
  readonly now: number
}

/** True when a correction changes nothing. */
export function isEmptyCorrection({ subscriber, pin, features }: PortCorrection): boolean {
  return Object.keys(subscriber).length === 0 && pin === undefined && features.length === 0
}

/**
 * Stores a correction. Rejects with PortStateError when the port's state no longer allows it, and with
 * PortFieldError for a number outside the port or a feature that cannot be set.
 */
export async function correctPort(
  tx: Writer,
  port: Port,
  { correction, pinSealed, actor, now }: AskedCorrection,
  deps: Pick<CorrectDeps, 'hasRoute' | 'campaignProblem'>,
): Promise<Port> {
  const { subscriber, pin, features } = correction
  const touchesOrder = Object.keys(subscriber).length > 0 || pin !== undefined
  const { state } = port.progress
  const allowed = touchesOrder && actor === 'customer' ? CORRECTABLE : OPEN
  if (!allowed.includes(state))
    throw new PortStateError(`The port is ${STATUS_OF[state]}: its data cannot be changed now`)
  const numbers = withFeatures(port, features)
  await refuseDeadFeatures(tx, port.accountSid, features, deps)
  const corrected: Port = {
    ...port,
    subscriber: { ...port.subscriber, ...subscriber },
    pinSealed: pin === '' ? undefined : (pinSealed ?? port.pinSealed),
    numbers,
    changes: port.changes + 1,
    updatedAt: now,
  }
  // A correction does not delay the next request to the carrier.
  await storeChange(tx, corrected, { actor, nextAt: nextAtOf(corrected, now) })
  for (const number of features) await setFeatures(tx, port.sid, number)
  return corrected
}

function withFeatures(port: Port, features: PortCorrection['features']): Port['numbers'] {
  const changed = new Map(features.map((each) => [each.e164, each.features]))
  const known = new Set(port.numbers.map(({ e164 }) => e164))
  for (const e164 of changed.keys())
    if (!known.has(e164)) throw new PortFieldError(`features: ${e164} is not in the port`)
  return port.numbers.map((number) => ({
    ...number,
    features: changed.get(number.e164) ?? number.features,
  }))
}

function nextAtOf({ progress, isSigned }: Port, now: number): number | null {
  if (progress.state === 'exception' || (progress.state === 'submitted' && !isSigned)) return null
  return now
}
