import type { Accounts } from '../../accounts/accounts.js'
import { endedWithin } from '../../platform/async/limit.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Outbound } from '../../platform/http/outbound.js'
import { newSid, parseSid } from '../../platform/ids.js'
import type { Logger } from '../../platform/log.js'
import type { CallbackOutbox, NewCallback } from '../../platform/outbox/callback.js'
import { signedHeaders, signWebhook } from '../../platform/webhooks/signature.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { EventLog } from '../events/event-log.js'
import { FrameClock } from './media/frame-clock.js'
import { RunningStream, type StreamTarget } from './running-stream.js'
import { StreamFailure, StreamNotFoundError, StreamRefusedError } from './stream-errors.js'
import type { StreamCallback, StreamRecord } from './stream-record.js'
import {
  findStream,
  insertStream,
  latestStream,
  markStreamStarted,
  markStreamStopped,
  unfinishedStreams,
} from './stream-storage.js'
import type { StreamTracks } from './stream-tracks.js'

export interface StreamsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventLog
  readonly accounts: Accounts
  readonly outbound: Pick<Outbound, 'openSocket' | 'allowsPlainSockets'>
  readonly outbox: CallbackOutbox
  /** Names of the headers that carry the signature of the upgrade request. */
  readonly signatureHeaders: readonly string[]
  /**
   * Calls the listener once when the call ends, at once if it has already ended. Returns a function that
   * removes the listener.
   */
  readonly whenCallEnds: (callSid: string, listener: () => void) => () => void
}

export interface NewStream {
  readonly url: string
  readonly name: string | undefined
  /** The Track parameter as the customer wrote it, for the record. `tracks` holds the parsed value. */
  readonly track: string
  readonly tracks: StreamTracks
  readonly kind: StreamRecord['kind']
  readonly callback: StreamCallback | undefined
  readonly parameters: Readonly<Record<string, string>>
}

export interface StartedStream {
  readonly record: StreamRecord
  /** True once the stream is being stopped. */
  readonly isStopping: boolean
  /** Resolves once the stream is closed and its end is stored. */
  readonly ended: Promise<void>
  stop(): void
}

type CallOfStream = Pick<StreamRecord, 'accountSid' | 'callSid'>

/** Media streams from calls to customers' websocket servers. A call has at most one. */
export interface Streams extends AsyncDisposable {
  /**
   * Starts a stream; first waits for the end of a stream that is being stopped. Resolves once the new stream
   * is stored and running; rejects with StreamRefusedError.
   */
  start(target: StreamTarget, wanted: NewStream): Promise<StartedStream>
  /** Stops a stream by sid or name; resolves once it is closed. Idempotent. */
  stop(call: CallOfStream, sidOrName: string): Promise<StreamRecord>
  /** Stops the call's stream with that name or sid; false when there is none. */
  stopNamed(callSid: string, name: string): boolean
  fetch(call: CallOfStream, sidOrName: string): Promise<StreamRecord>
  /** The call's running stream, or else its last one. */
  latest(call: CallOfStream): Promise<StreamRecord | undefined>
  /**
   * Recovery: ends the streams that a killed process of this node, or of the given node, left, each with its
   * last callback. Resolves with the number of streams.
   */
  recover(node?: string): Promise<number>
  liveCount(): number
}

const DISPOSE_LIMIT_MS = 5_000
const LEFT_AT_ONCE = 500
/** The cause for a stream that was stopped, or whose call ended, before its audio started. */
const NEVER_STARTED: Cause = { number: 31900, message: 'the stream ended before it had begun' }

type StreamEvent =
  | { readonly type: 'stream-started' }
  | { readonly type: 'stream-stopped' }
  | { readonly type: 'stream-error'; readonly message: string }

export function createStreams(deps: StreamsDeps): Streams {
  const { db, clock } = deps
  const beat = new FrameClock(clock)
  /** Running streams by call sid. */
  const live = new Map<string, StartedStream>()
  const starting = new Set<string>()

  const fetch: Streams['fetch'] = async (call, sidOrName) => {
    const key = parseSid('MZ', sidOrName) ?? sidOrName
    const stream = await findStream(db.read, call, key)
    if (stream === undefined) throw new StreamNotFoundError(`there is no stream ${sidOrName}`)
    return stream
  }

  return {
    start: async (target, wanted) => {
      const { callSid } = target
      checkUrl(wanted.url, deps.outbound.allowsPlainSockets)
      await stoppedOne(live.get(callSid))
      if (live.has(callSid) || starting.has(callSid))
        throw new StreamRefusedError(31960, 'the call has a stream already')
      starting.add(callSid)
      try {
        const record = newRecord(target, wanted, clock.now())
        await db.write((tx) => insertStream(tx, record))
        const started = begin(record, target, wanted, beat, deps, () => live.delete(callSid))
        live.set(callSid, started)
        return started
      } finally {
        starting.delete(callSid)
      }
    },
    stop: async (call, sidOrName) => {
      const stream = await fetch(call, sidOrName)
      const running = live.get(stream.callSid)
      if (running?.record.sid === stream.sid) {
        running.stop()
        await running.ended
      }
      return await fetch(call, stream.sid)
    },
    stopNamed: (callSid, name) => {
      const running = live.get(callSid)
      if (running === undefined) return false
      // An unnamed stream's name is its sid.
      const { record } = running
      if (name !== record.name && parseSid('MZ', name) !== record.sid) return false
      running.stop()
      return true
    },
    fetch,
    latest: (call) => latestStream(db.read, call),
    recover: (node = db.node) => recover(node, deps),
    liveCount: () => live.size,
    [Symbol.asyncDispose]: async () => {
      const ends = [...live.values()].map((stream) => {
        stream.stop()
        return stream.ended
      })
      await endedWithin(Promise.allSettled(ends), DISPOSE_LIMIT_MS)
      beat[Symbol.dispose]()
    },
  }
}

/** Resolves once a stream that is being stopped has ended; at once for any other stream. */
async function stoppedOne(stream: StartedStream | undefined): Promise<void> {
  if (stream?.isStopping === true) await stream.ended
}

function checkUrl(url: string, isPlainAllowed: boolean): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || parsed.hostname === '')
    throw new StreamRefusedError(31923, 'the stream URL is not a web address')
  // A websocket URL has no fragment (RFC 6455 §3).
  if (parsed.hash !== '') throw new StreamRefusedError(31923, 'the stream URL has a fragment')
  if (parsed.protocol === 'wss:' || (parsed.protocol === 'ws:' && isPlainAllowed)) return
  throw new StreamRefusedError(31922, 'a stream URL begins with wss://')
}

function newRecord(target: StreamTarget, wanted: NewStream, now: number): StreamRecord {
  const { url, name, track, kind, callback } = wanted
  const { accountSid, callSid } = target
  return {
    sid: newSid('MZ'),
    accountSid,
    callSid,
    name,
    url,
    track,
    kind,
    callback,
    status: 'in-progress',
    startedAt: undefined,
    createdAt: now,
    updatedAt: now,
  }
}

function begin(
  record: StreamRecord,
  target: StreamTarget,
  { tracks, parameters }: NewStream,
  beat: FrameClock,
  deps: StreamsDeps,
  over: () => void,
): StartedStream {
  const failed = (what: string) => (err: unknown) => {
    deps.log.error({ err, streamSid: record.sid }, what)
  }
  /** Pending status reports; the last callback is sent after them. */
  let reports: Promise<void> = Promise.resolve()
  const enqueue = (report: () => Promise<void>): void => {
    reports = reports.then(report).catch(failed('stream callback not stored'))
  }
  const running = new RunningStream({ record, tracks, parameters }, target, {
    clock: deps.clock,
    beat,
    openSocket: deps.outbound.openSocket,
    headers: () => upgradeHeaders(record, deps),
    onStarted: () => {
      logEvent(record, { event: 'stream-started', url: record.url }, deps)
      enqueue(() => reportStart(record, deps))
    },
    onWarning: (code, message) => {
      logFault(record, 'warning', { code, message }, deps)
    },
    onSlow: (message) => {
      logFault(record, 'warning', { code: 31930, message }, deps)
      enqueue(() => report(record, { type: 'stream-error', message: `31930 ${message}` }, deps))
    },
  })
  const stop = () => {
    running.stop()
  }
  // Before its audio starts, a stream has no other notice of the call's end.
  const leaveCall = deps.whenCallEnds(record.callSid, stop)
  const ended = running
    .run()
    .catch((err: unknown) => {
      deps.log.error({ err, streamSid: record.sid }, 'stream ended by an exception')
      return new StreamFailure(31900, 'the stream failed', { cause: err })
    })
    .then(async (failure) => {
      await reports
      await finish(record, failure, deps)
    })
    .catch(failed('the end of a stream was not stored'))
    .finally(() => {
      leaveCall()
      over()
    })
  return {
    record,
    get isStopping() {
      return running.isStopping
    },
    ended,
    stop,
  }
}

/** Ends the stream with `stream-stopped` if its audio had started, else with an error. */
async function finish(
  record: StreamRecord,
  failure: StreamFailure | undefined,
  deps: StreamsDeps,
): Promise<void> {
  if (failure !== undefined) logFault(record, 'error', faultOf(failure), deps)
  const now = deps.clock.now()
  const outcome = await deps.outbox.commit(async (tx, enqueue) => {
    const stopped = await markStreamStopped(tx, record.sid, now)
    // The node that ended the stream has reported it.
    if (stopped === undefined) return 'reported'
    const cause = failure ?? (stopped.hadStarted ? undefined : NEVER_STARTED)
    await enqueue(streamCallbackRows(record, lastEvent(cause), now))
    return stopped.hadStarted ? 'stopped' : 'never-started'
  })
  if (failure !== undefined || outcome === 'reported') return
  if (outcome === 'stopped') logEvent(record, { event: 'stream-stopped' }, deps)
  // A caller who hangs up early is not an error.
  else logFault(record, 'warning', faultOf(NEVER_STARTED), deps)
}

type Cause = Pick<StreamFailure, 'number' | 'message'>

const faultOf = ({ number: code, message }: Cause) => ({ code, message })

function lastEvent(failure: Cause | undefined): StreamEvent {
  if (failure === undefined) return { type: 'stream-stopped' }
  return { type: 'stream-error', message: `${failure.number} ${failure.message}` }
}

async function reportStart(record: StreamRecord, { clock, outbox }: StreamsDeps): Promise<void> {
  const now = clock.now()
  const rows = streamCallbackRows(record, { type: 'stream-started' }, now)
  await outbox.commit(async (tx, enqueue) => {
    if (await markStreamStarted(tx, record.sid, now)) await enqueue(rows)
  })
}

async function report(
  record: StreamRecord,
  event: StreamEvent,
  { clock, outbox }: StreamsDeps,
): Promise<void> {
  const rows = streamCallbackRows(record, event, clock.now())
  await outbox.commit((_tx, enqueue) => enqueue(rows))
}

/** The callback rows, in the order of the call's callbacks. Empty when the stream has no status callback. */
function streamCallbackRows(
  stream: StreamRecord,
  event: StreamEvent,
  now: number,
): readonly NewCallback[] {
  if (stream.callback === undefined) return []
  return [
    {
      stream: stream.callSid,
      accountSid: stream.accountSid,
      kind: 'stream',
      ...stream.callback,
      params: [
        ['AccountSid', stream.accountSid],
        ['CallSid', stream.callSid],
        ['StreamSid', stream.sid],
        ['StreamName', stream.name ?? stream.sid],
        ['StreamEvent', event.type],
        ...(event.type === 'stream-error' ? [['StreamError', event.message] as const] : []),
        ['Timestamp', new Date(now).toISOString()],
      ],
    },
  ]
}

async function recover(node: string, deps: StreamsDeps): Promise<number> {
  let finished = 0
  for (;;) {
    const left = await unfinishedStreams(deps.db.read, node, LEFT_AT_ONCE)
    if (left.length === 0) return finished
    for (const stream of left) await finish(stream, undefined, deps)
    finished += left.length
  }
}

async function upgradeHeaders(
  { accountSid, url }: StreamRecord,
  { accounts, signatureHeaders }: Pick<StreamsDeps, 'accounts' | 'signatureHeaders'>,
): Promise<Readonly<Record<string, string>>> {
  const account = await accounts.find(accountSid)
  if (account === undefined) return {}
  const signature = signWebhook(account.secret, url, [])
  return signedHeaders(signature, signatureHeaders, account.settings.secondSignatureHeader)
}

function logEvent(
  { accountSid, callSid, sid }: StreamRecord,
  detail: Readonly<Record<string, unknown>>,
  { events }: StreamsDeps,
): void {
  events.append({ accountSid, callSid, kind: 'stream', detail: { ...detail, streamSid: sid } })
}

function logFault(
  { accountSid, callSid, sid }: StreamRecord,
  kind: 'warning' | 'error',
  fault: { readonly code: ErrorNumber; readonly message: string },
  { events }: StreamsDeps,
): void {
  events.append({ accountSid, callSid, kind, detail: { ...fault, streamSid: sid } })
}
