/** The voice service: telephony, calls, the documents they run, and the callbacks they cause. */
import { join } from 'node:path'
import type { Config, ListenAddress } from '../config.js'
import type { Lab } from '../lab/start-lab.js'
import { systemClock as clock } from '../platform/clock.js'
import type { Disposer } from '../platform/disposer.js'
import { createResolver, resolveService } from '../platform/http/resolver.js'
import type { Logger } from '../platform/log.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { SourceLimit } from '../platform/source-limit.js'
import { watchClock } from '../platform/watch-clock.js'
import { type CallRecorder, createCallRecorder } from '../voice/calls/call-recorder.js'
import { unfinishedCallSids } from '../voice/calls/call-storage.js'
import { type Calls, type CallsDeps, createCalls } from '../voice/calls/calls.js'
import { finishOrphans, type OrphanDeps } from '../voice/calls/finish-orphans.js'
import { endLeftDialogs } from '../voice/calls/left-dialogs.js'
import { startCallRetention } from '../voice/calls/retention.js'
import type { Conferences } from '../voice/conferences/conferences.js'
import { createDocumentFetcher } from '../voice/host/document-fetcher.js'
import { type DocumentRunDeps, runDocument } from '../voice/host/run-document.js'
import { runMarkup } from '../voice/markup/run-markup.js'
import { createMediaFetcher } from '../voice/media-files/fetch-media.js'
import { createMediaCache } from '../voice/media-files/media-cache.js'
import type { Queues } from '../voice/queues/queues.js'
import type { Recordings } from '../voice/recordings/recordings.js'
import { type Carriers, createCarriers } from '../voice/routing/carriers.js'
import { createSipHosts } from '../voice/routing/sip-hosts.js'
import type { Streams } from '../voice/streams/streams.js'
import { createAccountSpeech } from '../voice/synthesis/account-speech.js'
import { createHttpEngine } from '../voice/synthesis/http-engine.js'
import { createSpeech } from '../voice/synthesis/speech.js'
import { connectTelephony } from '../voice/telephony/connect-telephony.js'
import type { Telephony } from '../voice/telephony/port.js'
import type { Base } from './base.js'
import { wireConferences } from './conferences.js'
import { labCarrier } from './lab.js'
import { wireOutbox } from './outbox.js'
import { wireQueues } from './queues.js'
import { wireRecordings } from './recordings.js'
import { wireStreams } from './streams.js'

/** Calls a second of one address that is nobody's: enough to say no to a mistake. */
const STRANGER_RATE = 10

export interface Voice {
  readonly telephony: Telephony
  readonly carriers: Carriers
  readonly outbox: Outbox
  readonly calls: Calls
  readonly streams: Streams
  readonly queues: Queues
  readonly sources: CallsDeps['sources']
  readonly recordings: Recordings
  /** Ends what a killed process left, once it is known by which URL we are reached. */
  readonly finishLeft: () => Promise<void>
  readonly conferences: Conferences
}

export async function wireVoice(
  config: Config,
  base: Base,
  lab: Lab | undefined,
  log: Logger,
  disposer: Disposer,
  baseUrl: () => string,
): Promise<Voice> {
  const { db, vault, numbers, accounts, events, policy } = base
  const { outbox, callbacks } = wireOutbox(base, log, disposer)
  for (const url of controlUrls(config, lab)) base.closeToCustomers(listenerOf(url))
  const telephony = disposer.use(await connectTelephony({ ...serverUrls(config, lab), clock, log }))
  const builtIn = lab === undefined ? [] : [labCarrier(lab)]
  const carriers = createCarriers({ db, vault, clock, builtIn })
  const recordings = wireRecordings(config, base, { outbox: callbacks, log, baseUrl }, disposer)
  const queues = await wireQueues(base, callbacks, log)
  const recorder = createCallRecorder(recordings, log)
  const orphans = await unfinishedCallSids(db.read)
  const streams = await wireStreams(base, callbacks, log, disposer)
  const conferences = await wireConferences(base, callbacks, recordings, log)
  const sources = sourceLimits(config.sip.sourceRate)
  const documents = { ...documentDeps(base, conferences, log, disposer), streams, queues }
  const calls = disposer.use(
    createCalls({
      ...{ db, telephony, carriers, numbers, accounts, sources, vault, clock, log, events },
      recorder,
      random: Math.random,
      blockedPrefixes: config.calls.blockedPrefixes,
      sipHosts: createSipHosts({ policy, resolve: createResolver(), resolveService, log }),
      limits: {
        maxCalls: config.calls.max,
        callsPerSecond: config.calls.perSecond,
        maxWaiting: config.calls.maxWaiting,
      },
      runDocument: (start, surroundings) => runDocument(start, surroundings, documents),
      outbox: callbacks,
    }),
  )
  disposer.use(endLeftDialogs({ db, telephony, clock, log }))
  disposer.use(watchClock({ clock, log, onJump: (jumpMs) => followClock(jumpMs, outbox, log) }))
  disposer.use(startCallRetention({ db, clock, log, days: config.eventRetentionDays }))
  const deps = { db, clock, recorder, outbox: callbacks }
  return {
    ...{ telephony, carriers, outbox, calls, streams, queues, sources, recordings, conferences },
    finishLeft: () => finishLeft(orphans, deps, log),
  }
}

/** Recordings before their calls, whose last callbacks name them. */
async function finishLeft(
  orphans: readonly string[],
  deps: OrphanDeps & { readonly recorder: CallRecorder },
  log: Logger,
): Promise<void> {
  await deps.recorder.recordings.recover()
  await finishOrphans(orphans, deps)
  if (orphans.length > 0)
    log.warn({ orphans: orphans.length }, 'calls that an earlier process left were ended')
}

/** Nothing is delivered an hour late because somebody set the clock. */
async function followClock(jumpMs: number, outbox: Outbox, log: Logger): Promise<void> {
  try {
    await outbox.followClock()
  } catch (err) {
    log.error({ err, jumpMs }, 'could not make the outbox follow the clock')
  }
}

/** A carrier as much as the network lets it; whoever else calls is refused anyway. */
function sourceLimits(carrierRate: number) {
  const strangerRate = Math.min(STRANGER_RATE, carrierRate)
  return {
    carrier: new SourceLimit({ perSecond: carrierRate, burst: 2 * carrierRate }),
    stranger: new SourceLimit({ perSecond: strangerRate, burst: 2 * strangerRate }),
  }
}

function documentDeps(
  base: Base,
  conferences: Conferences,
  log: Logger,
  disposer: Disposer,
): Omit<DocumentRunDeps, 'streams' | 'queues'> {
  const { dataDir, outbound, webhooks, accounts, events } = base
  const builtIn = disposer.use(createSpeech({ directory: join(dataDir, 'speech'), clock }))
  const directory = join(dataDir, 'speech-http')
  const http = disposer.use(createHttpEngine({ directory, clock, outbound }))
  const settingsOf = async (sid: string) => (await accounts.find(sid))?.settings.tts ?? {}
  const speak = createAccountSpeech({ builtIn, http, settingsOf, clock })
  const media = disposer.use(
    createMediaCache({
      directory: join(dataDir, 'media'),
      clock,
      fetch: createMediaFetcher(outbound),
    }),
  )
  const playable = ({ path }: { path: string }) => ({ type: 'file', path }) as const
  return {
    runMarkup,
    enterConference: (...asked) => conferences.enter(...asked),
    events,
    log,
    fetchDocument: createDocumentFetcher({ webhooks, accounts, events }),
    fetchMedia: async (url, tenant, signal) =>
      playable(await media.fetchMedia(url, tenant, signal)),
    synthesise: async (...asked) => playable(await speak(...asked)),
  }
}

/** The servers' control ports, which take commands from whoever knows their secret. */
function controlUrls(config: Config, lab: Lab | undefined): readonly string[] {
  const { drachtioUrls, freeswitchUrls } = serverUrls(config, lab)
  return [...drachtioUrls, ...freeswitchUrls]
}

function listenerOf(url: string): ListenAddress {
  const { hostname, port } = new URL(url)
  return { host: hostname, port: Number(port) }
}

function serverUrls(config: Config, lab: Lab | undefined) {
  const { servers } = config
  if (servers.type === 'real')
    return { drachtioUrls: servers.drachtio, freeswitchUrls: servers.freeswitch }
  return { drachtioUrls: [lab?.drachtioUrl ?? ''], freeswitchUrls: [lab?.freeswitchUrl ?? ''] }
}
