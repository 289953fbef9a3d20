/** The recordings of this process: starts, changes, stores and removes them. */

import { endedWithin } from '../../platform/async/limit.js'
import type { Database } from '../../platform/database/database.js'
import type { Page, PageRequest } from '../../platform/database/newest-first.js'
import { newSid } from '../../platform/ids.js'
import type { Logger } from '../../platform/log.js'
import type { RecordingWish } from '../model/recording-wish.js'
import { type Leg, LegEndedError } from '../telephony/port.js'
import type { RecordingDeps } from './complete-recording.js'
import { sizeOf } from './files/wav-part.js'
import { listRecordings, type RecordingFilter } from './list-recordings.js'
import { LiveRecording } from './live-recording.js'
import type { RecordedAudio } from './recorded-parts.js'
import { recordingParams } from './recording-callbacks.js'
import {
  createDownloads,
  type DownloadDeps,
  type RecordingDownload,
  type WantedMedia,
} from './recording-download.js'
import {
  NotEligibleForRecordingError,
  RecordingNotFoundError,
  SeveralRecordingsError,
} from './recording-errors.js'
import { finishedName, mediaServerPath, partPath, removeRecordingFiles } from './recording-files.js'
import type { RecorderEvent } from './recording-machine.js'
import { isOver, ownerOf, type RecordingRecord } from './recording-record.js'
import {
  deleteRecording,
  findRecording,
  findWholeRecording,
  insertRecording,
  unfinishedRecordings,
  unfinishedRecordingsOf,
} from './recording-storage.js'
import { createSilenceMeter } from './silence-meter.js'
import { WaitingRecordings } from './waiting-recordings.js'

export interface RecordedCall {
  readonly sid: string
  readonly accountSid: string
  readonly conferenceSid?: string
}

/** A recording in progress. */
export interface RunningRecording {
  readonly record: RecordingRecord
  /**
   * Resolves with the ended recording, which may end without `stop`; in `processing` while its file
   * waits for disk space.
   */
  readonly finished: Promise<RecordingRecord>
  stop(): Promise<RecordingRecord>
}

export interface Recordings extends AsyncDisposable {
  /**
   * Starts a recording. Resolves once audio is recorded, or with an absent recording when that is
   * impossible. Rejects when the recording cannot be stored.
   */
  start(call: RecordedCall, leg: Leg, wanted: RecordingWish): Promise<RunningRecording>
  /** Records all participants of the room, until `stopAll` with the conference's sid. */
  startOfRoom(
    call: RecordedCall & { readonly conferenceSid: string },
    room: RecordedAudio,
    wanted: RecordingWish,
  ): Promise<RunningRecording>
  /**
   * Starts the call's single recording that is independent of its document. A second start resolves
   * with the first recording.
   */
  startOnce(call: RecordedCall, leg: Leg, wanted: RecordingWish): Promise<RecordingRecord>
  /**
   * Stops the recording that `startOnce` started without waiting for its file; false when there is
   * none.
   */
  stopOnce(callSid: string): boolean
  /**
   * Resolves with a recording of the account, or of the call or conference `ownerSid`. With an
   * owner, `Twilio.CURRENT` names its recording in progress.
   */
  fetch(accountSid: string, sid: string, ownerSid?: string): Promise<RecordingRecord>
  change(
    accountSid: string,
    ownerSid: string,
    sid: string,
    event: RecorderEvent,
  ): Promise<RecordingRecord>
  list(
    accountSid: string,
    filter: RecordingFilter,
    page: PageRequest,
  ): Promise<Page<RecordingRecord>>
  /** Deletes the record and files; a recording in progress is stopped and reported as absent. */
  remove(accountSid: string, sid: string, ownerSid?: string): Promise<void>
  /** Ends all recordings of the call or conference; resolves with them. */
  stopAll(ownerSid: string): Promise<readonly RecordingRecord[]>
  /** Opens a download; resolves with undefined until there is a file. */
  download(recording: RecordingRecord, wanted: WantedMedia): Promise<RecordingDownload | undefined>
  /** Resolves with the recording that was requested when the call was created. */
  ofWholeCall(call: RecordedCall): Promise<RecordingRecord | undefined>
  /** Returns the webhook parameters of the recording. */
  paramsOf(recording: RecordingRecord): ReturnType<typeof recordingParams>
  /**
   * Completes the recordings that a killed process of this node left. With `remains`, ends those of
   * that dead node, whose files are not on this machine. Resolves with their number.
   */
  recover(remains?: string): Promise<number>
  liveCount(): number
}

const CURRENT = 'Twilio.CURRENT'
const BESIDE_DOCUMENT = ['OutboundAPI', 'StartCallRecordingAPI', 'StartCallRecordingTwiML']
/** Time limit for finishing recordings at shutdown, ms; the next process finishes the rest. */
const DISPOSE_LIMIT_MS = 5_000

/** A recording that can be stopped, and settles once it has ended. */
interface Stoppable {
  readonly record: { readonly sid: string; readonly callSid: string }
  readonly finished: Promise<unknown>
  stop(): Promise<unknown>
}

/** Name of the fork; it differs from those of streams and machine detection. */
const FORK_NAME = 'recording-silence'
const TICK_MS = 200
/** Number of ticks without a packet that count as silence; late packets arrive sooner. */
const STALL_TICKS = 5

export function createRecordings(deps: RecordingDeps & DownloadDeps): Recordings {
  const { db } = deps
  const downloads = createDownloads(deps)
  const live = new Map<string, LiveRecording>()
  const waiting = new WaitingRecordings(deps)
  const liveOf = (ownerSid: string) => ofOwner(live, ownerSid)

  const besideDocument = (callSid: string) =>
    liveOf(callSid).find(({ record }) => isBesideDocument(record))

  const start = startInto(live, waiting, deps)

  const fetch = fetchFrom(live, db)

  return {
    start: async (call, leg, { silenceMs, ...wanted }) => {
      const recording = await start(call, leg.media, wanted)
      if (silenceMs !== undefined && !isOver(recording.record))
        void stopWhenSilent(recording, leg, silenceMs, deps.log)
      return recording
    },
    startOfRoom: start,
    startOnce: async (call, leg, wanted) => {
      const running = besideDocument(call.sid)
      return running?.record ?? (await start(call, leg.media, wanted)).record
    },
    stopOnce: (callSid) => {
      const running = besideDocument(callSid)
      void running?.stop()
      return running !== undefined
    },
    fetch,
    change: async (accountSid, callSid, sid, event) => {
      const { sid: known } = await fetch(accountSid, sid, callSid)
      const recording = live.get(known)
      if (recording === undefined) throw new NotEligibleForRecordingError()
      return recording.change(event)
    },
    list: (accountSid, filter, page) => listRecordings(db.read, accountSid, filter, page),
    remove: async (accountSid, sid, callSid) => {
      const { sid: known } = await fetch(accountSid, sid, callSid)
      // A recording deleted in progress must not be reported as complete.
      await removeEverywhere(known, live.get(known), waiting, deps)
    },
    stopAll: (callSid) => Promise.all(liveOf(callSid).map((recording) => recording.stop())),
    download: (recording, wanted) => downloads.open(recording, wanted),
    ofWholeCall: (call) => findWholeRecording(db.read, call.sid),
    paramsOf: (recording) => recordingParams(deps.baseUrl(), recording),
    recover: (remains) =>
      remains === undefined
        ? recover((sid) => live.has(sid) || waiting.has(sid), waiting, deps)
        : endRemains(remains, waiting, deps),
    liveCount: () => live.size,
    [Symbol.asyncDispose]: async () => {
      await downloads[Symbol.asyncDispose]()
      await endedWithin(Promise.all([...live.values()].map((one) => one.stop())), DISPOSE_LIMIT_MS)
      await waiting[Symbol.asyncDispose]()
    },
  }
}

/**
 * Stops the recording once the far end has been silent for the given time; releases the leg's audio
 * when the recording ends. If the audio cannot be forked, the recording continues.
 */
async function stopWhenSilent(
  recording: Stoppable,
  leg: Leg,
  silenceMs: number,
  log: Logger,
): Promise<void> {
  const meter = createSilenceMeter()
  let quietTicks = 0
  const check = (): void => {
    if (meter.silentMs >= silenceMs) void recording.stop()
  }
  try {
    const fork = await leg.media.fork(
      { name: FORK_NAME, hears: 'far-end', speaks: 'no' },
      {
        onAudio: (audio) => {
          quietTicks = 0
          meter.add(audio)
          check()
        },
        onEnded: () => undefined, // the ticker continues: a far end without audio counts as silent
      },
    )
    const ticker = setInterval(() => {
      quietTicks += 1
      if (quietTicks < STALL_TICKS) return
      meter.addGap(quietTicks === STALL_TICKS ? STALL_TICKS * TICK_MS : TICK_MS)
      check()
    }, TICK_MS)
    await recording.finished
    clearInterval(ticker)
    await fork.stop()
  } catch (err) {
    if (err instanceof LegEndedError) return
    const { sid: recordingSid, callSid } = recording.record
    log.warn(
      { err, recordingSid, callSid },
      'silence does not stop a recording: the fork of its leg failed',
    )
  }
}

type LiveRecordings = ReadonlyMap<string, LiveRecording>

function ofOwner(live: LiveRecordings, ownerSid: string): readonly LiveRecording[] {
  return [...live.values()].filter(({ record }) => ownerOf(record) === ownerSid)
}

function fetchFrom(live: LiveRecordings, db: Database): Recordings['fetch'] {
  /** Returns the sids of recordings in progress, on any node. */
  const runningOf = async (accountSid: string, ownerSid: string) => {
    const here = ofOwner(live, ownerSid).map(({ record }) => record.sid)
    if (here.length > 0 || db.engine === 'sqlite') return here
    return await unfinishedRecordingsOf(db.read, { accountSid, ownerSid })
  }
  return async (accountSid, sid, ownerSid) => {
    const isCurrent = sid === CURRENT && ownerSid !== undefined
    const wanted = isCurrent ? currentOf(await runningOf(accountSid, ownerSid)) : sid
    const known = live.get(wanted)?.record ?? (await findRecording(db.read, accountSid, wanted))
    if (known === undefined || !isOf(known, accountSid, ownerSid))
      throw new RecordingNotFoundError(`there is no recording ${sid}`)
    return known
  }
}

/** Starts recordings; `live` holds those in progress. */
function startInto(
  live: Map<string, LiveRecording>,
  waiting: WaitingRecordings,
  deps: RecordingDeps,
) {
  return async (call: RecordedCall, audio: RecordedAudio, wanted: RecordingWish) => {
    const record = newRecording(call, wanted, deps.clock.now())
    const recording = new LiveRecording(record, audio, deps, waiting)
    live.set(record.sid, recording)
    void recording.finished.then(() => live.delete(record.sid))
    await recording.begin(() => deps.db.write((tx) => insertRecording(tx, record)))
    return recording
  }
}

async function removeEverywhere(
  sid: string,
  running: LiveRecording | undefined,
  waiting: WaitingRecordings,
  deps: RecordingDeps,
): Promise<void> {
  const { db, archive, files, folders } = deps
  await db.write(async (tx) => {
    await deleteRecording(tx, sid)
    await archive.enqueueRemoval(tx, sid)
    await files.enqueueRemoval(tx, finishedName(sid))
  })
  archive.wake()
  files.wake()
  await running?.stop()
  await waiting.tryNow(sid)
  await removeRecordingFiles(folders, files, sid)
}

async function recover(
  isOwned: (sid: string) => boolean,
  waiting: WaitingRecordings,
  deps: RecordingDeps,
): Promise<number> {
  deps.archive.wake()
  const left = (await unfinishedRecordings(deps.db.read, deps.db.node)).filter(
    ({ sid }) => !isOwned(sid),
  )
  // Until its channel has ended, the file of a recording is a header without audio.
  if (left.length > 0) await deps.orphansEnded?.()
  // In parallel, so that an unreachable media server delays the start only once.
  await Promise.all(left.map((recording) => bringParts(recording, deps)))
  for (const recording of left) await waiting.complete(recording, undefined)
  // A row is stored before its files, and deleted before them.
  await deps.files.recover()
  return left.length
}

/** Fetches the parts of a recording from the media server, unless they are here already. */
async function bringParts({ sid }: RecordingRecord, deps: RecordingDeps): Promise<void> {
  const { bring, folders } = deps
  if (bring === undefined) return
  for (let index = 0; ; index++) {
    const isHere = (await sizeOf(partPath(folders, sid, index))) !== undefined
    if (!isHere && !(await bring(mediaServerPath(folders, sid, index)))) return
  }
}

async function endRemains(
  remains: string,
  waiting: WaitingRecordings,
  deps: RecordingDeps,
): Promise<number> {
  const left = await unfinishedRecordings(deps.db.read, remains)
  const failure = new Error('the server with the audio is gone')
  for (const recording of left) await waiting.complete(recording, failure)
  return left.length
}

function currentOf(running: readonly string[]): string {
  if (running.length > 1) throw new SeveralRecordingsError()
  return running[0] ?? CURRENT
}

const isOf = (one: RecordingRecord, accountSid: string, ownerSid: string | undefined): boolean =>
  one.accountSid === accountSid && (ownerSid ?? ownerOf(one)) === ownerOf(one)

const isBesideDocument = ({ source, status }: RecordingRecord): boolean =>
  BESIDE_DOCUMENT.includes(source) && (status === 'in-progress' || status === 'paused')

function newRecording(
  { sid: callSid, accountSid, conferenceSid }: RecordedCall,
  { silenceMs: _whileItLasts, ...wanted }: RecordingWish,
  now: number,
): RecordingRecord {
  return {
    ...wanted,
    maxMs: wanted.maxMs,
    callback: wanted.callback,
    sid: newSid('RE'),
    accountSid,
    callSid,
    conferenceSid,
    status: 'in-progress',
    startedAt: now,
    durationMs: undefined,
    errorCode: undefined,
    price: undefined,
    createdAt: now,
    updatedAt: now,
  }
}
