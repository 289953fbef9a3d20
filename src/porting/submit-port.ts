/** A submission: one ticket, one port per kind of number, one fee per number. */
import { randomInt } from 'node:crypto'
import { refuseClosedAccount } from '../accounts/account-status.js'
import { billedAccount } from '../accounts/billed-account.js'
import { balanceOf, type Ledger } from '../ledger/ledger.js'
import { UNITS_PER_DOLLAR } from '../ledger/money.js'
import { InsufficientBalanceError } from '../ledger/reservations.js'
import { kindOf } from '../numbers/number-kind.js'
import type { Database, Writer } from '../platform/database/database.js'
import { newSid } from '../platform/ids.js'
import type { Vault } from '../platform/secrets.js'
import type { CampaignCheck, RouteCheck } from './activate-numbers.js'
import { mailOf, messageOf, type PortChangeDeps } from './change-port.js'
import type { NewPort, Port, PortedNumber, PortKind } from './port.js'
import { PortConflictError, PortFieldError, PortNotVerifiedError } from './port-errors.js'
import { CHECK_VALID_MS, conflictOf } from './portability.js'
import { checksSince, type PortCheck } from './storage/port-checks.js'
import { insertChange } from './storage/port-history.js'
import { insertNumbers, insertPort, insertTicket } from './storage/port-storage.js'

/** Fee per number, in 1/10,000 dollar. */
export const PORT_FEE = 60_000

const PID_CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const PID_LENGTH = 5
/** Number of pids that are tried; a collision of one is very unlikely. */
const PID_TRIES = 8

export interface Submission {
  readonly ticket: number
  /** The ports; that of the geographic numbers is first. */
  readonly ports: readonly Port[]
}

export interface SubmitDeps {
  readonly db: Database
  readonly vault: Pick<Vault, 'seal'>
  readonly ledger: Pick<Ledger, 'post'>
  readonly mails: PortChangeDeps['mails']
  readonly hasRoute: RouteCheck
  readonly campaignProblem: CampaignCheck
}

/** One port of a submission before its ticket exists. */
interface Planned {
  readonly sid: string
  readonly pids: readonly string[]
  readonly kind: PortKind
  readonly order: NewPort
  readonly numbers: readonly PortedNumber[]
  readonly pinSealed: string | undefined
}

/**
 * Stores a submission and charges its fee, atomically. `isDirect`: submitted by an administrator, without
 * letter and review. Rejects with PortNotVerifiedError, PortConflictError, PortFieldError,
 * InsufficientBalanceError and AccountClosedError.
 */
export async function submitPorts(
  accountSid: string,
  orders: readonly NewPort[],
  { isDirect, now }: { readonly isDirect: boolean; readonly now: number },
  deps: SubmitDeps,
): Promise<Submission> {
  const planned = orders.flatMap((order) => plansOf(order, deps))
  const numbers = planned.flatMap((plan) => plan.numbers)
  return await deps.db.write(async (tx) => {
    await refuseClosedAccount(tx, accountSid)
    const checks = await verified(tx, numbers, now)
    await refuseConflicts(tx, accountSid, numbers)
    await refuseDeadFeatures(tx, accountSid, numbers, deps)
    const ticket = await insertTicket(tx, { accountSid, at: now })
    const ports: Port[] = []
    for (const plan of planned)
      ports.push(await store(tx, plan, { accountSid, ticket, isDirect, now, checks }))
    await charge(tx, { accountSid, ticket, count: numbers.length, now }, deps.ledger)
    await deps.mails.enqueue(tx, ports.map(mailOf))
    return { ticket, ports }
  })
}

/** Splits an order by kind: toll-free and geographic numbers are ported by different carriers. */
function plansOf(order: NewPort, { vault }: Pick<SubmitDeps, 'vault'>): readonly Planned[] {
  const ofKind = (kind: PortKind) => order.numbers.filter(({ e164 }) => kindOf(e164) === kind)
  const kinds = (['local', 'toll-free'] as const).filter((kind) => ofKind(kind).length > 0)
  return kinds.map((kind) => ({
    sid: newSid('PO'),
    pids: Array.from({ length: PID_TRIES }, newPid),
    kind,
    order,
    numbers: ofKind(kind),
    pinSealed: order.pin === undefined ? undefined : vault.seal(order.pin),
  }))
}

function newPid(): string {
  const chars = Array.from({ length: PID_LENGTH }, () => PID_CHARS[randomInt(PID_CHARS.length)])
  return chars.join('')
}

/** The checks of the numbers; rejects unless each was found portable within the last hour. */
async function verified(
  tx: Writer,
  numbers: readonly PortedNumber[],
  now: number,
): Promise<ReadonlyMap<string, PortCheck>> {
  const all = numbers.map(({ e164 }) => e164)
  const checks = await checksSince(tx, all, now - CHECK_VALID_MS)
  const unverified = all.filter((e164) => checks.get(e164)?.isPortable !== true)
  if (unverified.length > 0) throw new PortNotVerifiedError(unverified)
  return checks
}

async function refuseConflicts(
  tx: Writer,
  accountSid: string,
  numbers: readonly PortedNumber[],
): Promise<void> {
  for (const { e164 } of numbers) {
    const conflict = await conflictOf(tx, accountSid, e164)
    if (conflict !== undefined) throw new PortConflictError(`${e164}: ${conflict}`)
  }
}

/** Rejects with PortFieldError for a feature that could not be set when the port completes. */
export async function refuseDeadFeatures(
  tx: Writer,
  accountSid: string,
  numbers: readonly PortedNumber[],
  { hasRoute, campaignProblem }: Pick<SubmitDeps, 'hasRoute' | 'campaignProblem'>,
): Promise<void> {
  for (const { e164, features } of numbers) {
    const { gatewayId, campaignId } = features
    if (gatewayId !== undefined && !(await hasRoute(tx, accountSid, gatewayId)))
      throw new PortFieldError(
        `features: ${e164}: routing.gatewayId ${gatewayId} is no gateway of the account`,
      )
    const problem =
      campaignId === undefined ? undefined : await campaignProblem(tx, accountSid, campaignId)
    if (problem !== undefined)
      throw new PortFieldError(`features: ${e164}: sms.campaignId: ${problem}`)
  }
}

interface Around {
  readonly accountSid: string
  readonly ticket: number
  readonly isDirect: boolean
  readonly now: number
  readonly checks: ReadonlyMap<string, PortCheck>
}

async function store(tx: Writer, plan: Planned, around: Around): Promise<Port> {
  const { accountSid, ticket, isDirect, now, checks } = around
  const [first] = plan.numbers
  const losingCarrier = checks.get(first?.e164 ?? '')?.losingCarrier ?? ''
  // An administrator's order was reviewed by hand.
  const progress = isDirect
    ? ({ state: 'pending' } as const)
    : ({ state: 'submitted', isSigned: false } as const)
  const port = await insertPort(
    tx,
    {
      sid: plan.sid,
      accountSid,
      ticket,
      kind: plan.kind,
      progress,
      isSigned: isDirect,
      foc: undefined,
      changes: 1,
      message: messageOf(progress, { losingCarrier }),
      subscriber: plan.order.subscriber,
      pinSealed: plan.pinSealed,
      losingCarrier,
      numbers: plan.numbers,
      enteredAt: now,
      createdAt: now,
      updatedAt: now,
    },
    plan.pids,
    isDirect ? now : null,
  )
  const taken = await insertNumbers(tx, port.sid, port.numbers)
  if (taken.length > 0) throw new PortConflictError(`${taken.join(', ')}: in another port`)
  await insertChange(tx, port.sid, {
    change: port.changes,
    state: progress.state,
    actor: isDirect ? 'operator' : 'customer',
    message: port.message,
    foc: undefined,
    at: now,
  })
  return port
}

/** Charges the fee. Throws InsufficientBalanceError when the balance does not cover it. */
async function charge(
  tx: Writer,
  fee: {
    readonly accountSid: string
    readonly ticket: number
    readonly count: number
    readonly now: number
  },
  ledger: SubmitDeps['ledger'],
): Promise<void> {
  const { accountSid, ticket, count, now } = fee
  const amount = PORT_FEE * count
  const billedSid = await billedAccount(tx, accountSid)
  await ledger.post(tx, {
    key: `port:${ticket}`,
    accountSid,
    billedSid,
    cause: 'port',
    reference: String(ticket),
    amount: -amount,
    description: `Port of ${count} number${count === 1 ? '' : 's'}, ticket ${ticket}`,
    at: now,
  })
  // The entry has locked the balance, so it cannot change before the commit.
  const balance = await balanceOf(tx, billedSid)
  if (balance.amount < balance.reserved)
    throw new InsufficientBalanceError(
      `The balance does not cover the fee of ${amount / UNITS_PER_DOLLAR} dollars`,
    )
}
