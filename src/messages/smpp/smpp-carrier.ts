/**
 * The carrier over short message centres (SMPP 3.4). An SMSC has accepted a part once it answers with an id; an
 * unanswered part is resent. Accepted parts of an incomplete message are stored, so that no attempt sends them
 * twice.
 */
import { randomUUID } from 'node:crypto'
import type { SmscSettings } from '../../config/smpp-settings.js'
import { isShortCode } from '../../destinations/short-code.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import { wellFormed } from '../../platform/text.js'
import type { CarrierListener, StartedCarrier, Submission, SubmitOutcome } from '../carrier.js'
import { joinedTexts } from '../segments/gsm-alphabet.js'
import {
  joinFragment,
  removeFragments,
  storeTakenParts,
  takenParts,
} from '../storage/smpp-storage.js'
import { type Delivered, readDelivered } from './codec/delivered.js'
import { SmppFormatError, STATUS } from './codec/pdu.js'
import { submitBody } from './codec/submit-body.js'
import { type BindRole, type PartOutcome, SmppBind, type SmppTimes } from './smpp-bind.js'

export interface SmppDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly smscs: readonly SmscSettings[]
  readonly times?: Partial<SmppTimes>
  /** The certificate of the authority of the SMSCs (PEM), instead of those that Node.js knows. */
  readonly authority?: string | undefined
}

/** One connection to a short message centre. */
export interface SmppBindView {
  /** The centre, as `host:port`. */
  readonly smsc: string
  readonly role: BindRole
  readonly isBound: boolean
  /** Number of requests without a response. */
  readonly load: number
}

export interface SmppCarrier extends StartedCarrier {
  /** Returns the connections to all short message centres. */
  binds(): readonly SmppBindView[]
}

const NAME = 'smpp'
const TIMES: SmppTimes = {
  connectMs: 10_000,
  responseMs: 15_000,
  enquireMs: 30_000,
  retryMs: 1_000,
  maxRetryMs: 60_000,
}
/** The documented numbers of refusals (§5.1.3); every other one is 30008. */
const ERROR_CODES: Readonly<Record<number, number>> = { [STATUS.invalidDestination]: 30005 }
const UNKNOWN_FAILURE = 30008
/** The type of a number of which nothing is known (§5.2.5). */
const UNKNOWN_TYPE = 0

/** A connection and its SMSC. */
interface Way {
  readonly bind: SmppBind
  readonly smsc: SmscSettings
}

/** Spelling of ids in receipts, relative to the response. */
export type ReceiptSpelling = 'any' | 'same' | 'decimal' | 'hex'

const DECIMAL = /^[0-9]{1,40}$/
const HEX = /^[0-9a-f]{1,40}$/i

export function createSmppCarrier(deps: SmppDeps): SmppCarrier {
  const { db, clock, log } = deps
  const times = { ...TIMES, ...deps.times }
  let listener: CarrierListener | undefined
  const ways = deps.smscs.flatMap((smsc) =>
    rolesOf(smsc).map((role): Way => {
      const deliver = (body: Buffer) => delivered(body, smsc, deps, listener)
      return {
        smsc,
        bind: new SmppBind({ smsc, role, times, clock, log, deliver, authority: deps.authority }),
      }
    }),
  )
  return {
    name: NAME,
    takesMedia: false,
    takesShortCodes: ways.some(({ smsc }) => smsc.shortCodeType !== undefined),
    submit: async (message) => {
      const way = freest(ways.filter((each) => takes(each, message)))
      if (way === undefined) return { type: 'busy', reason: 'no SMSC takes messages now' }
      return await submit(message, way, db, clock.now())
    },
    binds: () =>
      ways.map(({ smsc, bind }) => ({
        smsc: `${smsc.host}:${smsc.port}`,
        role: bind.role,
        isBound: bind.isBound,
        load: bind.load,
      })),
    start: (service) => {
      listener = service
      for (const { bind } of ways) bind.start()
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(ways.map(({ bind }) => bind.stop()))
    },
  }
}

function takes({ smsc }: Way, { to }: Submission): boolean {
  return !isShortCode(to) || smsc.shortCodeType !== undefined
}

function rolesOf({ bind }: SmscSettings): readonly BindRole[] {
  return bind === 'transceiver' ? ['transceiver'] : ['transmitter', 'receiver']
}

/** Returns the connection with the fewest requests in progress. */
function freest(ways: readonly Way[]): Way | undefined {
  const [first] = ways
    .filter(({ bind }) => bind.canSend)
    .sort((one, other) => one.bind.load - other.bind.load)
  return first
}

async function submit(
  { sid, from, to, encoding, segments }: Submission,
  { bind, smsc }: Way,
  db: Database,
  now: number,
): Promise<SubmitOutcome> {
  const total = segments.length
  const taken = new Map(total > 1 ? await takenParts(db.read, sid) : [])
  const reference = referenceOf(sid)
  const wanted = segments.flatMap((text, part) => (taken.has(part) ? [] : [{ text, part }]))
  const outcomes = await Promise.all(
    wanted.map(async ({ text, part }) => {
      const place = total > 1 ? { reference, total, number: part + 1 } : undefined
      const { joinedBy, shortCodeType = UNKNOWN_TYPE } = smsc
      const address = { from, to, shortCodeType }
      const body = submitBody({ ...address, encoding, text, part: place, joinedBy })
      return { part, outcome: await bind.submit(body) }
    }),
  )
  const added = new Map<number, string>()
  for (const { part, outcome } of outcomes)
    if (outcome.type === 'taken')
      added.set(part, idAt(smsc, plainId(outcome.id) || `${sid}-${part}`))
  for (const [part, id] of added) taken.set(part, id)
  if (taken.size === total)
    return { type: 'accepted', ids: segments.map((_, part) => taken.get(part) ?? '') }
  if (added.size > 0) await storeTakenParts(db, sid, added, now)
  return failureOf(outcomes.map(({ outcome }) => outcome))
}

function failureOf(outcomes: readonly PartOutcome[]): SubmitOutcome {
  for (const outcome of outcomes)
    if (outcome.type === 'refused')
      return { type: 'refused', errorCode: ERROR_CODES[outcome.status] ?? UNKNOWN_FAILURE }
  const busy = outcomes.find((outcome) => outcome.type === 'busy')
  return { type: 'busy', reason: busy?.reason ?? 'unknown' }
}

/** Returns the reference number that joins the parts, the same for each attempt. */
function referenceOf(sid: string): number {
  return Number.parseInt(sid.slice(-4), 16)
}

/** Ids are an SMSC's own. */
function idAt({ host, port }: SmscSettings, id: string): string {
  return `${host}:${port}/${id}`
}

/**
 * Returns the ids that a receipt may mean. A provider may report through another of its SMSCs than the one that
 * accepted the part.
 */
function idsOf(
  id: string,
  smsc: SmscSettings,
  smscs: readonly SmscSettings[],
): ReadonlySet<string> {
  const others = smscs.filter(({ systemId }) => systemId === smsc.systemId)
  return new Set(
    [smsc, ...others].flatMap((place) =>
      responseIds(id, place.receiptId).map((each) => idAt(place, each)),
    ),
  )
}

/** Returns the id as stored: lower case, without leading zeros. */
export function plainId(id: string): string {
  return HEX.test(id) ? id.toLowerCase().replace(/^0+(?=.)/, '') : id
}

/**
 * The ids that the response may have had, the most probable first. Many SMSCs write the id of a response
 * in hexadecimal and that of its receipt in decimal, some the other way round, with zeros before it or not.
 */
export function responseIds(id: string, spelling: ReceiptSpelling): readonly string[] {
  const asHex = DECIMAL.test(id) ? BigInt(id).toString(16) : undefined
  const asDecimal = HEX.test(id) ? BigInt(`0x${id}`).toString() : undefined
  const wanted = {
    any: [plainId(id), asHex, asDecimal],
    same: [plainId(id)],
    decimal: [asHex ?? plainId(id)],
    hex: [asDecimal ?? plainId(id)],
  }[spelling]
  return [...new Set(wanted.flatMap((each) => each ?? []))]
}

/** Resolves with the response status; an internal error makes the SMSC retry. */
async function delivered(
  body: Buffer,
  smsc: SmscSettings,
  deps: SmppDeps,
  listener: CarrierListener | undefined,
): Promise<number> {
  if (listener === undefined) return STATUS.temporaryFault
  try {
    const found = readDelivered(body)
    if (found.type === 'message') return await takeMessage(found, smsc, deps, listener)
    const [id = '', ...otherIds] = idsOf(found.id, smsc, deps.smscs)
    const { from: recipient, state } = found
    await listener.receive({ carrier: NAME, id, otherIds, recipient, state })
    return STATUS.ok
  } catch (err) {
    deps.log.warn({ err, host: smsc.host }, 'could not take what an SMSC delivered')
    return err instanceof SmppFormatError ? STATUS.permanentFault : STATUS.temporaryFault
  }
}

async function takeMessage(
  { from, to, text, part }: Extract<Delivered, { type: 'message' }>,
  smsc: SmscSettings,
  { db, clock }: SmppDeps,
  listener: CarrierListener,
): Promise<number> {
  if (from === undefined) return STATUS.invalidSource
  if (to === undefined) return STATUS.invalidDestination
  const arrived = { carrier: NAME, from, to }
  if (part === undefined) {
    await listener.take({
      ...arrived,
      id: idAt(smsc, randomUUID()),
      body: textOf([text]),
    })
    return STATUS.ok
  }
  const { total, number } = part
  const message = `${smsc.systemId}/${from}/${to}/${part.reference}/${total}`
  const fragment = { message, number, total, body: text }
  const whole = await joinFragment(db, fragment, clock.now())
  if (whole === undefined) return STATUS.ok
  await listener.take({ ...arrived, id: whole.id, body: textOf(whole.parts) })
  await removeFragments(db, message)
  return STATUS.ok
}

function textOf(parts: readonly string[]): string {
  return wellFormed(joinedTexts(parts).replaceAll('\0', ''))
}
