import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Passwords } from '../../../src/accounts/passwords.js'
import { type Config, readConfig } from '../../../src/config.js'
import { createDestinationsOf } from '../../../src/destinations/destinations-of.js'
import { createCredits } from '../../../src/ledger/credits.js'
import { createPayments } from '../../../src/ledger/payments.js'
import { createRecurringCharges } from '../../../src/ledger/recurring-charges.js'
import { createMessages } from '../../../src/messages/messages.js'
import { createSimulatedCarrier } from '../../../src/messages/simulator/simulated-carrier.js'
import { type Clock, systemClock } from '../../../src/platform/clock.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { createLogger } from '../../../src/platform/log.js'
import type { NewCallback } from '../../../src/platform/outbox/callback.js'
import { Outbox } from '../../../src/platform/outbox/outbox.js'
import { createUsageCharging } from '../../../src/rating/usage-charging.js'
import type { CallLimits } from '../../../src/voice/calls/admission/call-slots.js'
import { type Carrier, DEFAULT_CARRIER_SETTINGS } from '../../../src/voice/carriers/carrier.js'
import type { CallPlan } from '../../../src/voice/model/call-plan.js'
import { createTranscriptions } from '../../../src/voice/transcriptions/transcriptions.js'
import { openBase, type Surroundings } from '../../../src/wiring/base.js'
import type { DocumentSources } from '../../../src/wiring/documents.js'
import { wireExports } from '../../../src/wiring/exports.js'
import { wireFiles } from '../../../src/wiring/files.js'
import { wireVoice } from '../../../src/wiring/voice.js'
import { QUICK_HASH } from '../account/quick-hash.js'
import { quietLedger } from '../billing/quiet-ledger.js'
import { testMedia } from '../messages/media-web.js'
import { permitAll } from '../messages/permit-all.js'
import { createSilentApplications } from '../messages/silent-applications.js'
import { tempFolder } from '../process/temp-folder.js'
import { databaseSetting, openTestDatabase } from '../process/test-database.js'
import { waitUntil } from '../time/wait-until.js'
import { detectionsHere } from './detections-here.js'
import { createFakeTelephony } from './fake-telephony.js'
import { RecordingOutbox } from './recording-outbox.js'

export const PLAN: CallPlan = {
  document: { type: 'inline', text: '<Response/>' },
  statusCallback: {
    url: 'http://app.test/status',
    method: 'POST',
    events: ['initiated', 'ringing', 'answered', 'completed'],
  },
  timeoutSeconds: 30,
}

/** Wires the voice service like the process, with telephony simulated by the test and without a network. */
export async function setUpCalls(
  runMarkup: DocumentSources['runMarkup'] = () => new Promise(() => undefined),
  limits: TestLimits = {},
  settings: Readonly<Record<string, string>> = {},
  clock: Clock = systemClock,
) {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const silentLookups: AbortSignal[] = []
  const base = await openBase(
    configOf(folder.path, { ...(await databaseSetting(folder.path)), ...settings }, limits),
    surroundings(folder.path, clock, silentLookups),
    stack,
  )
  const recordingsFolder = join(folder.path, 'recordings')
  mkdirSync(recordingsFolder)
  const telephony = createFakeTelephony()
  const outbox = new RecordingOutbox(base.db)
  const files = wireFiles(base, 'http://here.test')
  const ledger = quietLedger()
  const voice = await wireVoice(base, {
    telephony,
    builtInCarriers: [LAB, { ...LAB, name: 'second', priority: 2, port: 5071 }],
    callbacks: outbox,
    keepFiles: files.keep,
    ledger,
    documents: () => ({ ...NO_DOCUMENTS, runMarkup }),
    baseUrl: 'http://here.test',
    detections: detectionsHere,
    // Worker threads run built files.
    mp3WorkerUrl: new URL('../../../dist/voice/recordings/mp3/mp3-worker.js', import.meta.url),
  })
  const { accounts, applications, db, events, inventory, log, numbers, vault } = base
  const { callerIds, calls, conferences, queues, recordings, refusedCalls, sip, streams, trunks } =
    voice
  const { callbacks } = outbox
  const exports = await wireExports(base, files.store, recordings)
  const messages = stack.use(
    createMessages({
      ...base,
      ledger,
      callbacks: outbox,
      outbox: stack.use(new Outbox(base)),
      carrier: { ...stack.use(createSimulatedCarrier(base)), takesShortCodes: true },
      maySend: permitAll,
      destinationsOf: createDestinationsOf(base.accounts, ['+1900', '666']),
      applications: createSilentApplications(),
      ...testMedia(folder.path, clock),
    }),
  )
  return {
    accounts,
    accountKeys: base.accountKeys,
    passwords: new Passwords(QUICK_HASH),
    clock,
    log,
    accountGate: base.accountGate,
    requestsPerSecond: 1_000,
    vault,
    ledger,
    rateBook: base.rateBook,
    billing: {
      ...base,
      ledger,
      credits: createCredits({ ...base, ledger }),
      payments: createPayments({ ...base, ledger }),
      recurring: stack.use(createRecurringCharges({ ...base, ledger })),
    },
    account: await accounts.create({
      friendlyName: 'test',
      profile: { services: { intl: true } },
    }),
    numbers,
    accessLists: voice.registration.accessLists,
    sipAuthentication: voice.registration.sipAuthentication,
    gateways: base.gateways,
    applications,
    inventory,
    imports: base.inventoryImports,
    trunks,
    carriers: trunks.carriers,
    events,
    telephony,
    callerIds,
    calls,
    refusedCalls,
    nodeRequests: base.nodeRequests,
    overload: voice.overload,
    messages,
    streams,
    recordings,
    recordingsFolder,
    exports,
    files,
    transcriptions: createTranscriptions(db, createUsageCharging(ledger)),
    conferences,
    queues,
    sip,
    bindings: voice.registration.bindings,
    db,
    callbacks,
    /** Abort signals of the lookups of `silent.test`. */
    silentLookups,
    /** Resolves with the status callbacks once the terminal one is present and no call is live. */
    completed: async () => {
      const statuses = () => callbacks.filter((row) => row.kind === 'status').map(paramsOf)
      const isDone = () =>
        calls.liveCount() === 0 &&
        statuses().some((row) => row['SequenceNumber'] === String(statuses().length - 1))
      await waitUntil('the calls are over', isDone, undefined, statuses)
      return statuses().map((row) => row['CallStatus'])
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

export const paramsOf = (row: NewCallback): Record<string, string> => Object.fromEntries(row.params)

const LAB: Carrier = {
  name: 'lab',
  host: '127.0.0.1',
  port: 5070,
  transport: 'udp',
  prefixes: ['+1500'],
  priority: 1,
  weight: 1,
  addresses: ['127.0.0.0/8'],
  settings: DEFAULT_CARRIER_SETTINGS,
}

/** An environment in which only the tests' own names resolve; lookups of `silent.test` never complete. */
const surroundings = (
  folder: string,
  clock: Clock,
  silentLookups: AbortSignal[],
): Surroundings => ({
  clock,
  random: () => 0,
  log: createLogger('silent'),
  openDatabase: (_place, _migrations, node) => openTestDatabase(folder, node),
  resolve: (host, signal) => {
    if (host === 'pbx.test') return Promise.resolve(['198.41.0.4'])
    if (host === 'bucket.test') return Promise.resolve(['127.0.0.1'])
    if (host !== 'silent.test') return Promise.reject(new Error('no such host'))
    silentLookups.push(signal)
    return new Promise(() => undefined)
  },
  resolveService: () => Promise.resolve([]),
  resolveNaptr: () => Promise.resolve([]),
})

const NO_DOCUMENTS: Omit<DocumentSources, 'runMarkup'> = {
  fetchDocument: () => Promise.reject(new Error('nothing is fetched here')),
  fetchMedia: () => Promise.reject(new Error('nothing is fetched here')),
  synthesise: () => Promise.resolve({ type: 'silence', durationMs: 20 }),
}

/** Calls are refused for overload delay only if a test sets a maximum. */
type TestLimits = Partial<CallLimits> & { readonly maxDelayMs?: number }

/** A configuration with high call limits, unless `limits` sets others. */
function configOf(
  dataDir: string,
  settings: Readonly<Record<string, string>>,
  limits: TestLimits,
): Config {
  const config = readConfig({
    DATA_DIR: dataDir,
    ...settings,
    SIP_SOURCE_RATE: '1000',
    BLOCKED_PREFIXES: '+1900',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  })
  const { maxCalls = 100, callsPerSecond = 1_000, maxWaiting = 100, maxDelayMs = 0 } = limits
  // Slower than the setting allows: a call then stays queued for the whole test.
  const counts = { max: maxCalls, perSecond: callsPerSecond, maxWaiting }
  const calls = { ...config.calls, ...counts, maxDelayMs }
  return { ...config, calls }
}
