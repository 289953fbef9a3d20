/** Wires the voice service: calls, their documents, and their features. */

import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.js'
import type { Ledger } from '../ledger/ledger.js'
import { settingsOf, shownName } from '../numbers/number-settings.js'
import type { KeepFiles } from '../platform/files/kept-files.js'
import { NodeShare } from '../platform/nodes/node-share.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import type { Vault } from '../platform/secrets.js'
import { SourceLimit } from '../platform/source-limit.js'
import { watchLoop } from '../platform/watch-loop.js'
import { isVerified } from '../voice/caller-ids/caller-id-store.js'
import { type CallerIds, createCallerIds } from '../voice/caller-ids/caller-ids.js'
import { createVerificationDocument } from '../voice/caller-ids/verification-document.js'
import {
  createVerificationStore,
  type VerificationStore,
} from '../voice/caller-ids/verification-store.js'
import { OverloadControl } from '../voice/calls/admission/overload-control.js'
import { createCallRecorder } from '../voice/calls/call-recorder.js'
import { type Calls, type CallsDeps, createCalls } from '../voice/calls/calls.js'
import { CallCharging } from '../voice/calls/charging/call-charging.js'
import { recoverDialogs } from '../voice/calls/recovery/recover-dialogs.js'
import { startCallRetention } from '../voice/calls/storage/retention.js'
import type { Carrier } from '../voice/carriers/carrier.js'
import { createConferenceStore } from '../voice/conferences/conference-store.js'
import { type Conferences, createConferences } from '../voice/conferences/conferences.js'
import type { Detections } from '../voice/detection/detections.js'
import { addressTestDocument, emergencyCallDocument } from '../voice/host/emergency-documents.js'
import type { InternalDocuments } from '../voice/host/internal-document.js'
import { runDocument } from '../voice/host/run-document.js'
import { BridgedDialogs } from '../voice/markup/bridged-dialogs.js'
import { runBridge } from '../voice/markup/run-bridge.js'
import { createQueueStore } from '../voice/queues/queue-store.js'
import { createQueues, type Queues } from '../voice/queues/queues.js'
import type { Recordings } from '../voice/recordings/recordings.js'
import { RefusedCalls } from '../voice/refused-calls/refused-calls.js'
import type { SipResources } from '../voice/sip-domains/sip-resources.js'
import { CallerVerification } from '../voice/stir/caller-verification.js'
import { Certificates } from '../voice/stir/certificates.js'
import { readCertificates } from '../voice/stir/trusted-chain.js'
import { createStreams, type Streams } from '../voice/streams/streams.js'
import { DrainedServers } from '../voice/telephony/drained-servers.js'
import type { Telephony } from '../voice/telephony/port.js'
import type { Base } from './base.js'
import { type Trunks, wireCarriers } from './carriers.js'
import type { DocumentSources } from './documents.js'
import { wireLookups } from './lookups.js'
import { joinNodes } from './nodes.js'
import { wireRecordings } from './recordings.js'
import { type Registration, wireSip } from './sip.js'

/**
 * Maximum call rate from a non-carrier address, per second: only to answer misdirected callers with a refusal.
 */
const STRANGER_RATE = 10

/** Dependencies of the voice service; tests pass a simulated telephony. */
export interface VoiceParts {
  readonly telephony: Telephony
  /** Carriers that exist without configuration. */
  readonly builtInCarriers: readonly Carrier[]
  readonly callbacks: CallbackOutbox
  readonly keepFiles: KeepFiles
  /** Creates the source of documents, which may play the recordings. */
  readonly documents: (recordings: Recordings) => DocumentSources
  readonly ledger: Ledger
  readonly detections: Detections
  /** Public base URL of this server. */
  readonly baseUrl: string
  /** URL of the built MP3 worker; by default the one beside its module. */
  readonly mp3WorkerUrl?: URL
}

export interface Voice {
  readonly telephony: Telephony
  readonly servers: DrainedServers
  readonly trunks: Trunks
  readonly calls: Calls
  /** Measures how overloaded this process is with calls. */
  readonly overload: OverloadControl
  readonly refusedCalls: RefusedCalls
  readonly callerIds: CallerIds
  readonly streams: Streams
  readonly queues: Queues
  readonly sources: CallsDeps['sources']
  readonly recordings: Recordings
  readonly conferences: Conferences
  readonly sip: SipResources
  readonly registration: Registration
}

/** Wires the voice service. Resolves once recovery is complete and calls are accepted. */
export async function wireVoice(base: Base, parts: VoiceParts): Promise<Voice> {
  const { config, db, clock, log, disposer } = base
  const { telephony, callbacks } = parts
  const servers = disposer.use(await DrainedServers.open({ db, telephony, clock, log }))
  const refusedCalls = keepRefusedCalls(base)
  const { sip, registration } = await wireSip(base, telephony, refusedCalls)
  const trunks = await wireCarriers(base, telephony, parts.builtInCarriers)
  const recordings = wireRecordings(base, parts)
  const queueStore = createQueueStore({ ...base, outbox: callbacks })
  const queues = createQueues({ ...base, store: queueStore })
  // Evaluated later: streams start only once calls exist.
  const streams = wireStreams(base, callbacks, () => calls)
  const conferenceStore = createConferenceStore({ db, clock, outbox: callbacks })
  const conferences = createConferences({ ...base, store: conferenceStore, recorder: recordings })
  const recorder = createCallRecorder(recordings, log)
  const verifications = createVerificationStore({ db, clock, outbox: callbacks })
  const charging = chargingOf(base, parts.ledger)
  const recoveries = { callbacks, charging, conferenceStore, recorder, streams, verifications }
  const share = new NodeShare()
  const nodes = await joinNodes(base, recoveries, share)
  const sources = sourceLimits(config.sip.sourceRate)
  const overload = controlOverload(base, telephony)
  const calls = wireCalls(base, parts, {
    overload,
    refusedCalls,
    documents: parts.documents(recordings),
    trunks,
    recorder,
    charging,
    streams,
    queues,
    conferences,
    sources,
    verifications,
    sip,
    registration,
    share,
  })
  nodes.start(calls)
  const from = config.calls.verificationFrom
  const callerIds = createCallerIds({ ...base, calls, store: verifications, from })
  disposer.use(recoverDialogs({ db, telephony, clock, log }))
  disposer.use(startCallRetention({ db, clock, log, days: config.eventRetentionDays }))
  return {
    telephony,
    servers,
    trunks,
    calls,
    refusedCalls,
    overload,
    callerIds,
    streams,
    queues,
    sources,
    recordings,
    conferences,
    sip,
    registration,
  }
}

function keepRefusedCalls({ clock, config, db, disposer, log }: Base): RefusedCalls {
  return disposer.use(new RefusedCalls({ db, clock, log, days: config.eventRetentionDays }))
}

function controlOverload({ clock, config, disposer }: Base, telephony: Telephony): OverloadControl {
  const overload = new OverloadControl(config.calls.maxDelayMs, () => telephony.channelLoad())
  disposer.use(
    watchLoop(clock, (lateMs) => {
      overload.recordLoopLag(lateMs)
      overload.tick(clock.monotonic())
    }),
  )
  return overload
}

function chargingOf({ clock, config, db, rateBook }: Base, ledger: Ledger): CallCharging {
  const { reserveSeconds } = config.calls
  return new CallCharging({ db, clock, ledger, rates: rateBook, reserveSeconds })
}

type AroundCalls = Pick<
  Voice,
  'trunks' | 'streams' | 'queues' | 'conferences' | 'sources' | 'sip' | 'registration'
> &
  Pick<CallsDeps, 'recorder' | 'charging' | 'overload' | 'share' | 'refusedCalls'> & {
    readonly documents: DocumentSources
    readonly verifications: VerificationStore
  }

function wireCalls(base: Base, parts: VoiceParts, around: AroundCalls): Calls {
  const { accounts, clock, config, db, disposer, events, log, numbers, random, vault } = base
  const { recorder, sources } = around
  const lookups = wireLookups(base, parts.ledger)
  return disposer.use(
    createCalls({
      db,
      telephony: parts.telephony,
      ...around.trunks,
      numbers,
      callerVerification: wireCallerVerification(base),
      numberSettings: (sid) => settingsOf(db.read, sid),
      callerNameFor: (call) => lookups.callerNameFor(call),
      gateways: base.gateways,
      sip: around.sip,
      ...around.registration,
      applications: base.applications,
      accounts,
      sources,
      vault,
      clock,
      random,
      log,
      events,
      recorder,
      overload: around.overload,
      refusedCalls: around.refusedCalls,
      charging: around.charging,
      shownName: (accountSid, e164) => shownName(db.read, { accountSid, e164 }),
      holdsCallerId: (accountSid, e164) => holdsCallerId(base, accountSid, e164),
      blockedPrefixes: config.calls.blockedPrefixes,
      detections: parts.detections,
      limits: {
        maxCalls: config.calls.max,
        callsPerSecond: config.calls.perSecond,
        maxWaiting: config.calls.maxWaiting,
      },
      share: around.share,
      nodeRequests: base.nodeRequests,
      runDocument: documentRunner(base, around),
      outbox: parts.callbacks,
    }),
  )
}

/** Throws ConfigError when the file of the setting cannot be read. */
function wireCallerVerification({ clock, config, log, outbound }: Base): CallerVerification {
  const certificates = new Certificates({ clock, log, outbound })
  return new CallerVerification({ certificates, anchors: anchorsIn(config.stirTrustAnchors) })
}

function anchorsIn(file: string | undefined) {
  if (file === undefined) return []
  const anchors = readCertificates(contentOf(file))
  if (anchors === undefined)
    throw new ConfigError(`STIR_TRUST_ANCHORS: ${file} has no certificates in PEM`)
  return anchors
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (cause) {
    throw new ConfigError(`STIR_TRUST_ANCHORS: ${file} cannot be read`, { cause })
  }
}

function wireStreams(
  base: Base,
  outbox: VoiceParts['callbacks'],
  calls: () => Pick<Calls, 'whenEnded'>,
): Streams {
  const { config, disposer } = base
  return disposer.use(
    createStreams({
      ...base,
      outbox,
      signatureHeaders: config.signatureHeaders,
      whenCallEnds: (...asked) => calls().whenEnded(...asked),
    }),
  )
}

function documentRunner(
  { events, log, vault }: Base,
  { conferences, documents, queues, streams, verifications }: AroundCalls,
): CallsDeps['runDocument'] {
  const deps = {
    ...documents,
    runBridge,
    internalDocuments: internalDocumentsOf(vault, verifications),
    streams,
    queues,
    bridgedDialogs: new BridgedDialogs(),
    enterConference: (...asked: Parameters<Conferences['enter']>) => conferences.enter(...asked),
    events,
    log,
  }
  return (start, surroundings) => runDocument(start, surroundings, deps)
}

/** True when the account holds the number or has verified it. */
async function holdsCallerId(
  { db, numbers }: Base,
  accountSid: string,
  e164: string,
): Promise<boolean> {
  const called = await numbers.called(e164)
  return called?.number.accountSid === accountSid || (await isVerified(db.read, accountSid, e164))
}

function internalDocumentsOf(vault: Vault, store: VerificationStore): InternalDocuments {
  return {
    'caller-id-verification': createVerificationDocument({ store, vault }),
    'emergency-call': emergencyCallDocument,
    'address-test': addressTestDocument,
  }
}

/** Rate limits by source: the configured rate for carriers, a low one for strangers. */
function sourceLimits(carrierRate: number) {
  const strangerRate = Math.min(STRANGER_RATE, carrierRate)
  return {
    carrier: new SourceLimit({ perSecond: carrierRate, burst: 2 * carrierRate }),
    stranger: new SourceLimit({ perSecond: strangerRate, burst: 2 * strangerRate }),
    // A whole office may share one address.
    softphone: new SourceLimit({ perSecond: carrierRate, burst: 2 * carrierRate }),
    trunk: new SourceLimit({ perSecond: carrierRate, burst: 2 * carrierRate }),
  }
}
