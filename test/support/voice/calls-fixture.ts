import { join } from 'node:path'
import { createAccounts } from '../../../src/accounts/accounts.js'
import { createPhoneNumbers } from '../../../src/numbers/phone-numbers.js'
import { systemClock } from '../../../src/platform/clock.js'
import { openDatabase } from '../../../src/platform/database/database.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { createLogger } from '../../../src/platform/log.js'
import type { NewCallback } from '../../../src/platform/outbox/callback.js'
import { openVault } from '../../../src/platform/secrets.js'
import { SourceLimit } from '../../../src/platform/source-limit.js'
import { createCallRecorder } from '../../../src/voice/calls/call-recorder.js'
import { createCalls } from '../../../src/voice/calls/calls.js'
import type { CallLimits } from '../../../src/voice/calls/turns.js'
import { createConferenceStore } from '../../../src/voice/conferences/conference-store.js'
import { createConferences } from '../../../src/voice/conferences/conferences.js'
import { createEventLog } from '../../../src/voice/events/event-log.js'
import { type DocumentRunDeps, runDocument } from '../../../src/voice/host/run-document.js'
import type { MarkupEnd } from '../../../src/voice/markup/document.js'
import type { CallPlan } from '../../../src/voice/model/call-plan.js'
import { createQueueStore } from '../../../src/voice/queues/queue-store.js'
import { createQueues } from '../../../src/voice/queues/queues.js'
import { createRecordingArchive } from '../../../src/voice/recordings/archive/recording-archive.js'
import { createRecordings } from '../../../src/voice/recordings/recordings.js'
import { createCarriers } from '../../../src/voice/routing/carriers.js'
import { createSipHosts } from '../../../src/voice/routing/sip-hosts.js'
import { createStreams } from '../../../src/voice/streams/streams.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { tempFolder } from '../process/temp-folder.js'
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

/** The whole calls feature over a real database, with a telephony that the test plays. */
export async function setUpCalls(
  runMarkup: () => Promise<MarkupEnd> = () => new Promise(() => undefined),
  limits: Partial<CallLimits> = {},
) {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const log = createLogger('silent')
  const db = stack.use(openDatabase(join(folder.path, 'db.sqlite'), MIGRATIONS))
  const vault = openVault(join(folder.path, 'key'))
  const clock = systemClock
  const accounts = createAccounts({ db, vault, clock })
  const account = await accounts.create({ friendlyName: 'test' })
  const numbers = createPhoneNumbers({ db, clock })
  const lab = {
    name: 'lab',
    host: '127.0.0.1',
    port: 5070,
    transport: 'udp',
    prefixes: ['+1500'],
    priority: 1,
    weight: 1,
    addresses: ['127.0.0.0/8'],
  } as const
  const carriers = createCarriers({
    db,
    vault,
    clock,
    builtIn: [lab, { ...lab, name: 'second', priority: 2, port: 5071 }],
  })
  const telephony = createFakeTelephony()
  const sipHosts = createSipHosts({
    policy: { mode: 'public-only', allow: ['127.0.0.0/8'] },
    resolve: (host) => {
      if (host === 'pbx.test') return Promise.resolve(['198.41.0.4'])
      if (host === 'silent.test') return new Promise(() => undefined)
      return Promise.reject(new Error('no such host'))
    },
    resolveService: () => Promise.resolve([]),
    log,
  })
  const events = stack.use(createEventLog({ db, clock, log }))
  const outbox = new RecordingOutbox(db)
  const ofQueues = new RecordingOutbox(db)
  const others = new RecordingOutbox(db)
  const { callbacks } = outbox
  const openSocket = () => Promise.reject(new Error('nothing is connected here'))
  const streams = stack.use(
    createStreams({
      ...{ db, clock, log, events, accounts },
      outbound: { openSocket, allowsPlainSockets: false },
      outbox: others,
      signatureHeaders: ['X-Compat-Signature'],
    }),
  )
  const folders = { here: folder.path, onMediaServer: folder.path }
  const archive = stack.use(
    createRecordingArchive({
      ...{ db, clock, log, events, accounts, folders, random: () => 0 },
      outbound: {
        request: () => Promise.reject(new Error('nothing is stored here')),
        allowsPlainSockets: false,
      },
    }),
  )
  const recordings = stack.use(
    createRecordings({
      ...{ db, clock, log, events, archive, folders },
      baseUrl: () => 'http://here.test',
      outbox: others,
      // Threads run built files.
      mp3WorkerUrl: new URL('../../../dist/voice/recordings/mp3/mp3-worker.js', import.meta.url),
    }),
  )
  const conferenceStore = createConferenceStore({
    ...{ db, clock },
    outbox: others,
  })
  const conferences = createConferences({
    ...{ clock, log, store: conferenceStore },
    recorder: recordings,
  })
  const queues = createQueues({
    ...{ db, clock, log, events },
    store: createQueueStore({
      ...{ db, clock },
      outbox: ofQueues,
    }),
  })
  const documents: DocumentRunDeps = {
    runMarkup,
    fetchDocument: () => Promise.reject(new Error('nothing is fetched here')),
    fetchMedia: () => Promise.reject(new Error('nothing is fetched here')),
    enterConference: (...asked) => conferences.enter(...asked),
    synthesise: () => Promise.resolve({ type: 'silence', durationMs: 20 }),
    streams,
    queues,
    events,
    log,
  }
  const calls = stack.use(
    createCalls({
      sources: callSources(),
      db,
      telephony,
      carriers,
      numbers,
      accounts,
      vault,
      clock,
      random: () => 0,
      sipHosts,
      blockedPrefixes: ['+1900'],
      limits: { maxCalls: 100, callsPerSecond: 1_000, maxWaiting: 100, ...limits },
      log,
      events,
      recorder: createCallRecorder(recordings, log),
      runDocument: (start, surroundings) => runDocument(start, surroundings, documents),
      outbox,
    }),
  )
  return {
    accounts,
    clock,
    /** The voice API's. */
    limits: { requestsPerSecond: 1_000, trustedProxies: [] },
    vault,
    account,
    numbers,
    carriers,
    events,
    telephony,
    calls,
    streams,
    recordings,
    recordingsFolder: folder.path,
    conferences,
    conferenceStore,
    queues,
    queueCallbacks: ofQueues.callbacks,
    db,
    callbacks,
    /** Resolves with the status callbacks once the terminal one is there. */
    completed: async () => {
      const statuses = () => callbacks.filter((row) => row.kind === 'status')
      const isDone = () =>
        statuses().some(
          (row) =>
            paramsOf(row)['SequenceNumber'] === String(statuses().length - 1) &&
            calls.liveCount() === 0,
        )
      while (!isDone())
        await new Promise<void>((resolve) => {
          outbox.onCallbacks = () => setImmediate(resolve)
        })
      return statuses().map((row) => paramsOf(row)['CallStatus'])
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

export const paramsOf = (row: NewCallback): Record<string, string> => Object.fromEntries(row.params)

/** Room for as many calls as a test likes. */
function callSources() {
  const many = () => new SourceLimit({ perSecond: 1_000, burst: 1_000 })
  return { carrier: many(), stranger: many() }
}
