import { join } from 'node:path'
import { createAccounts } from '../../../src/accounts/accounts.js'
import type { DestinationRules } from '../../../src/destinations/destination-rules.js'
import type { MessageCarrier, Submission, SubmitOutcome } from '../../../src/messages/carrier.js'
import { createMessages, type MessageApplications } from '../../../src/messages/messages.js'
import { type OperatorLookup, UNKNOWN_OPERATORS } from '../../../src/messages/operator-lookup.js'
import { createSimulatedCarrier } from '../../../src/messages/simulator/simulated-carrier.js'
import { holdNumber } from '../../../src/numbers/held-numbers.js'
import type { Database, Writer } from '../../../src/platform/database/database.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { newSid } from '../../../src/platform/ids.js'
import { createLogger } from '../../../src/platform/log.js'
import { Outbox } from '../../../src/platform/outbox/outbox.js'
import { openVault } from '../../../src/platform/secrets.js'
import { changeAccountRates } from '../../../src/rating/account-rates.js'
import type { MaySend } from '../../../src/registry/registry.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { quietLedger } from '../billing/quiet-ledger.js'
import { tempFolder } from '../process/temp-folder.js'
import { openTestDatabase, testDatabase } from '../process/test-database.js'
import { RecordingOutbox } from '../voice/recording-outbox.js'
import { MediaWeb, testMedia } from './media-web.js'
import { permitAll } from './permit-all.js'
import { createSilentApplications } from './silent-applications.js'

/** Allows all destinations: the tests' numbers have no real accounts. */
const ANYWHERE: DestinationRules = {
  regions: [],
  blockedPrefixes: [],
  allowed: [],
  denied: [],
  abroad: 'open',
}

export const START = Date.UTC(2026, 10, 16, 12)
export const FROM = '+12025550111'
export const TO = '+13035550142'

/** A carrier with scripted answers; it accepts every message by default. */
export class ScriptedCarrier implements MessageCarrier {
  name: string
  takesMedia = true
  takesShortCodes = false
  readonly submitted: Submission[] = []
  answer: (message: Submission) => SubmitOutcome | Promise<SubmitOutcome> = (message) => ({
    type: 'accepted',
    ids: [`id-${message.sid}`],
  })

  constructor(name = 'scripted') {
    this.name = name
  }

  async submit(message: Submission): Promise<SubmitOutcome> {
    this.submitted.push(message)
    return await this.answer(message)
  }

  /** Bodies in order of submission. */
  get bodies(): readonly string[] {
    return this.submitted.map(({ segments }) => segments.join(''))
  }
}

interface Earlier {
  /** The last migration of the earlier version. */
  readonly migration: string
  readonly store: (tx: Writer) => Promise<unknown>
}

/** Opens a test database, optionally with rows of an earlier version. */
async function databaseOf(folder: string, earlier: Earlier | undefined): Promise<Database> {
  if (earlier === undefined) return await openTestDatabase(folder)
  const place = await testDatabase(folder, 'empty')
  const last = MIGRATIONS.findIndex(({ name }) => name === earlier.migration)
  await using db = await openDatabase(place, MIGRATIONS.slice(0, last + 1))
  await db.write(earlier.store)
  return await openDatabase(place, MIGRATIONS)
}

/** Messaging over a database, with a clock that only the test advances. */
export async function messagesFixture(
  options: {
    readonly maySend?: MaySend
    readonly simulated?: boolean
    readonly operators?: OperatorLookup
    readonly applications?: MessageApplications
    readonly web?: MediaWeb
    /** Stores rows of an earlier version, before the later migrations run. */
    readonly earlier?: Earlier
    /** Carriers instead of the scripted one. */
    readonly carriers?: readonly MessageCarrier[]
  } = {},
) {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const db = stack.use(await databaseOf(folder.path, options.earlier))
  let now = START
  const clock = { now: () => now, monotonic: () => now - START }
  const log = createLogger('silent')
  const ledger = quietLedger()
  const outbox = stack.use(new Outbox({ db, clock, random: () => 0, log }))
  const callbacks = new RecordingOutbox(db)
  const carrier = new ScriptedCarrier()
  const other = new ScriptedCarrier('other')
  const simulator = stack.use(createSimulatedCarrier({ db, clock, log }))
  let { maySend = permitAll } = options
  const web = options.web ?? new MediaWeb()
  const media = testMedia(folder.path, clock, web)
  const applications = options.applications ?? createSilentApplications()
  const vault = openVault(join(folder.path, 'vault.key'))
  const accounts = createAccounts({ db, vault, clock })
  const messages = stack.use(
    createMessages({
      db,
      clock,
      log,
      ledger,
      outbox,
      callbacks,
      carrier: options.carriers?.[0] ?? (options.simulated === true ? simulator : carrier),
      otherCarriers: [...(options.carriers?.slice(1) ?? []), other],
      maySend: (e164) => maySend(e164),
      destinationsOf: () => Promise.resolve(ANYWHERE),
      operators: options.operators ?? UNKNOWN_OPERATORS,
      applications,
      ...media,
    }),
  )
  const account = await accounts.create({ friendlyName: 'test' })
  const hold = (e164: string, sms = false) =>
    db.write((tx) =>
      holdNumber(
        tx,
        {
          sid: newSid('PN'),
          accountSid: account.sid,
          e164,
          capabilities: { voice: true, sms, mms: false, fax: false },
        },
        now,
      ),
    )
  await hold(FROM)
  outbox.start()
  messages.start()
  if (options.simulated === true) simulator.start(messages)
  return {
    db,
    web,
    mediaLinks: media.mediaLinks,
    folder: folder.path,
    clock,
    ledger,
    messages,
    outbox,
    carrier,
    /** A second carrier to which numbers may be routed. */
    other,
    callbacks: callbacks.callbacks,
    account,
    accounts,
    /** Enables or disables the account's sms service. */
    serve: (sms: boolean) => accounts.update(account.sid, { profile: { services: { sms } } }),
    hold,
    permit: (permission: MaySend) => {
      maySend = permission
    },
    turnTo: (at: number) => {
      now = at
    },
    /** Sends a message, by default from FROM to TO. */
    send: (wanted: Partial<Parameters<typeof messages.create>[1]> = {}) =>
      messages.create(account, {
        to: TO,
        from: FROM,
        body: 'Hello',
        direction: 'outbound-api',
        statusCallback: { url: 'http://app.test/status', method: 'POST' },
        ...wanted,
      }),
    status: async (sid: string) => (await messages.fetch(account.sid, sid)).status,
    /** Reported statuses, in order. */
    reported: () => callbacks.callbacks.map(({ params }) => new Map(params).get('MessageStatus')),
    pay: (amount: number) =>
      db.write((tx) =>
        ledger.post(tx, {
          key: `pay:${amount}`,
          accountSid: account.sid,
          cause: 'payment',
          reference: '',
          amount,
          description: '',
          at: now,
        }),
      ),
    charge: (microsPerSegment: number) =>
      db.write((tx) => changeAccountRates(tx, account.sid, { sms: microsPerSegment }, now)),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}
