/**
 * A carrier that needs no other server. Accepted messages are database rows, so that a killed process sends
 * nothing twice and loses no receipt.
 */
import { Pump } from '../../platform/async/pump.js'
import type { Clock } from '../../platform/clock.js'
import type { Database, Writer } from '../../platform/database/database.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { Logger } from '../../platform/log.js'
import type {
  CarrierListener,
  InboundMessage,
  StartedCarrier,
  Submission,
  SubmitOutcome,
} from '../carrier.js'
import type { StoredFile } from '../storage/media-storage.js'
import type { SimulatedMessagesTable } from '../tables.js'

export interface SimulatorDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  /** Delay of the receipt after the acceptance, ms. */
  readonly receiptDelayMs?: number
}

type Row = Selectable<SimulatedMessagesTable>

const NAME = 'simulator'
const RECEIPT_DELAY_MS = 200
const DELAYED_MS = 10_000
/** Number of attempts that the throttling number refuses. */
const THROTTLED_ATTEMPTS = 2
const BATCH = 100
const POLL_MS = 5_000
const PAUSE_MS = 1_000
/** Time for which repeated submissions are detected, ms; messages are valid for less. */
const KEPT_MS = 2 * 86_400_000

type Behaviour =
  | 'delivered'
  | 'undelivered'
  | 'expired'
  | 'rejected'
  | 'throttled'
  | 'delayed'
  | 'replies-stop'
  | 'replies-text'
  | 'silent'

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '00': 'delivered',
  '01': 'undelivered',
  '02': 'expired',
  '03': 'rejected',
  '04': 'throttled',
  '05': 'delayed',
  '06': 'replies-stop',
  '07': 'replies-text',
  '08': 'silent',
}

const FINAL_STATES: Readonly<Partial<Record<Behaviour, string>>> = {
  undelivered: 'UNDELIV',
  expired: 'EXPIRED',
  rejected: 'REJECTD',
}

const DELIVERED = 'DELIVRD'

/** A phone's reaction to a message. */
interface PhoneBehaviour {
  /** Final state of the message, as in SMPP; undefined: no receipt comes. */
  readonly state: string | undefined
  /** Returns the text of the reply. */
  readonly reply?: (body: string) => string
}

const TAKES: PhoneBehaviour = { state: 'DELIVRD' }
const TAKES_NOTHING: PhoneBehaviour = { state: 'UNDELIV' }
/** Maximum length of the quote in a reply, characters. */
const MAX_QUOTED = 100

const PHONES: Readonly<Record<string, PhoneBehaviour>> = {
  '0001': {
    state: 'DELIVRD',
    reply: (body) =>
      `Hello, this is Anna. You wrote: ${Array.from(body).slice(0, MAX_QUOTED).join('')}`,
  },
  '0002': TAKES,
  '0003': { state: 'DELIVRD', reply: (body) => body },
  '0004': { state: 'DELIVRD', reply: () => '42' },
  '0005': TAKES_NOTHING,
  '0006': { state: 'REJECTD' },
  '0007': { state: undefined },
  '0008': TAKES,
  '0009': TAKES,
  '0010': TAKES,
  '0012': TAKES_NOTHING,
  '0013': { state: 'DELIVRD', reply: () => 'Yes' },
}

export function createSimulatedCarrier(deps: SimulatorDeps): StartedCarrier {
  const { db, clock, log } = deps
  let listener: CarrierListener | undefined
  const pump = new Pump({
    name: 'receipts of the simulated carrier',
    log,
    look: async (signal) => {
      try {
        return listener === undefined
          ? Number.POSITIVE_INFINITY
          : await sendDue(deps, listener, signal)
      } catch (err) {
        log.error({ err }, 'the simulated carrier could not send its receipts')
        return clock.now() + PAUSE_MS
      }
    },
    now: () => clock.now(),
  })
  return {
    name: NAME,
    takesMedia: true,
    takesShortCodes: false,
    submit: async (message) => {
      const now = clock.now()
      const outcome = await db.write((tx) => take(tx, message, now, deps))
      if (listener !== undefined) pump.wake()
      return outcome
    },
    start: (service) => {
      listener = service
      pump.wake()
    },
    [Symbol.asyncDispose]: () => pump[Symbol.asyncDispose](),
  }
}

async function take(
  tx: Writer,
  { sid, from, to, segments, media, subject }: Submission,
  now: number,
  { receiptDelayMs = RECEIPT_DELAY_MS }: SimulatorDeps,
): Promise<SubmitOutcome> {
  const behaviour = behaviourOf(to)
  const row = await tx
    .insertInto('simulated_messages')
    .values({
      sid,
      carrierId: carrierIdOf(sid),
      fromNumber: from,
      toNumber: to,
      body: segments.join(''),
      media: JSON.stringify(
        media.map(({ file, contentType, bytes }) => ({ file, contentType, bytes })),
      ),
      subject: subject ?? null,
      attempts: 1,
      dueAt: null,
      taken: 0,
      createdAt: now,
    })
    .onConflict((known) =>
      known.column('sid').doUpdateSet((set) => ({
        attempts: set('simulated_messages.attempts', '+', 1),
      })),
    )
    .returning(['attempts', 'taken', 'carrierId'])
    .executeTakeFirstOrThrow()
  const accepted: SubmitOutcome = { type: 'accepted', ids: [row.carrierId] }
  if (row.taken === 1) return accepted
  if (behaviour === 'throttled' && row.attempts <= THROTTLED_ATTEMPTS)
    return { type: 'busy', reason: 'throttled' }
  const delay = behaviour === 'delayed' ? DELAYED_MS : receiptDelayMs
  await tx
    .updateTable('simulated_messages')
    .set({ taken: 1, dueAt: isSilent(to) ? null : now + delay })
    .where('sid', '=', sid)
    .execute()
  return accepted
}

/** True for a number that never sends a receipt. */
function isSilent(to: string): boolean {
  const phone = labPhoneAt(to)
  return phone === undefined ? behaviourOf(to) === 'silent' : phone.state === undefined
}

function finalStateOf(to: string): string {
  return labPhoneAt(to)?.state ?? FINAL_STATES[behaviourOf(to)] ?? DELIVERED
}

/** Returns the same id for every submission of a message. */
function carrierIdOf(sid: string): string {
  return `SIM${sid.slice(2)}`
}

/** Sends due receipts and resolves with the time of the next one. */
async function sendDue(
  { db, clock }: SimulatorDeps,
  listener: CarrierListener,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const rows = await dueRows(db, clock.now())
    for (const row of rows) {
      if (signal.aborted) return Number.POSITIVE_INFINITY
      const state = finalStateOf(row.toNumber)
      await listener.receive({ carrier: NAME, id: row.carrierId, state })
      for (const inbound of inboundOf(row)) await listener.take(inbound)
      // The row stays, so that a repeated submission is detected.
      await db.write((tx) =>
        tx
          .updateTable('simulated_messages')
          .set({ dueAt: null, body: '', media: '[]' })
          .where('sid', '=', row.sid)
          .execute(),
      )
    }
    await forgetOld(db, clock.now())
    if (rows.length < BATCH) return Math.min(await nextDueAt(db), clock.now() + POLL_MS)
  }
}

const REPLIES: Readonly<Partial<Record<Behaviour, string>>> = {
  'replies-stop': 'STOP',
  'replies-text': 'Thank you for your message.',
}

/** Returns the messages that follow a delivery: a reply, or the message itself to a number held here. */
function inboundOf(row: Row): readonly InboundMessage[] {
  const { carrierId: id, fromNumber: from, toNumber: to, body } = row
  const files = JSON.parse(row.media) as readonly StoredFile[] // as `take` has written it
  const media = files.map((file) => ({ type: 'file' as const, ...file }))
  if (finalStateOf(to) !== DELIVERED) return []
  const subject = row.subject ?? undefined
  const arrived = { carrier: NAME, id, from, to, body, subject, media }
  const reply = labPhoneAt(to)?.reply?.(body) ?? REPLIES[behaviourOf(to)]
  if (reply === undefined || reply === '') return [arrived]
  return [arrived, { carrier: NAME, id: `${id}-reply`, from: to, to: from, body: reply }]
}

/** Returns the phone at the number; undefined outside the lab's range. */
function labPhoneAt(e164: string): PhoneBehaviour | undefined {
  const last = /^\+1500555(\d{4})$/.exec(e164)?.[1]
  return last === undefined ? undefined : (PHONES[last] ?? TAKES_NOTHING)
}

/** Returns the behaviour of a test number: any area code, then 555-01XX. Other numbers accept all messages. */
function behaviourOf(e164: string): Behaviour {
  const last = /^\+1\d{3}55501(\d{2})$/.exec(e164)?.[1]
  return (last === undefined ? undefined : BEHAVIOURS[last]) ?? 'delivered'
}

async function dueRows({ read }: Database, now: number): Promise<readonly Row[]> {
  return await read
    .selectFrom('simulated_messages')
    .selectAll()
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .orderBy('sid')
    .limit(BATCH)
    .execute()
}

async function forgetOld(db: Database, now: number): Promise<void> {
  const old = db.read
    .selectFrom('simulated_messages')
    .select('sid')
    .where('createdAt', '<', now - KEPT_MS)
    .where('dueAt', 'is', null)
    .limit(BATCH)
  const sids = (await old.execute()).map(({ sid }) => sid)
  if (sids.length === 0) return
  await db.write((tx) => tx.deleteFrom('simulated_messages').where('sid', 'in', sids).execute())
}

async function nextDueAt({ read }: Database): Promise<number> {
  const { at } = await read
    .selectFrom('simulated_messages')
    .select((select) => select.fn.min<number | null>('dueAt').as('at'))
    .executeTakeFirstOrThrow()
  return at ?? Number.POSITIVE_INFINITY
}
