/** Wires the mutual monitoring of nodes that share a database. */
import { releaseProvisions } from '../emergency/provisions.js'
import { releaseOrders } from '../numbers/number-purchases.js'
import { systemClock } from '../platform/clock.js'
import { NodeLease } from '../platform/nodes/node-lease.js'
import type { NodeShare } from '../platform/nodes/node-share.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { releaseClaims } from '../platform/outbox/stream-operations.js'
import { releasePorts } from '../porting/storage/due-ports.js'
import { releaseJobs } from '../registry/jobs/jobs.js'
import { recoverVerifications } from '../voice/caller-ids/settle-verification.js'
import type { VerificationStore } from '../voice/caller-ids/verification-store.js'
import type { CallRecorder } from '../voice/calls/call-recorder.js'
import type { Calls } from '../voice/calls/calls.js'
import type { CallCharging } from '../voice/calls/charging/call-charging.js'
import {
  handOverCalls,
  handOverDialogs,
  nodesWithCalls,
} from '../voice/calls/recovery/hand-over.js'
import { recoverCalls } from '../voice/calls/recovery/recover-calls.js'
import { findCall } from '../voice/calls/storage/call-storage.js'
import { type ConferenceStore, handOverConferences } from '../voice/conferences/conference-store.js'
import { releaseBuilds } from '../voice/exports/storage/export-storage.js'
import { recoverQueueMembers } from '../voice/queues/recover-queue-members.js'
import type { Streams } from '../voice/streams/streams.js'
import type { Base } from './base.js'

export interface JoinedNodes {
  /** Starts to monitor the other nodes. Notifies `calls` when another node has taken over this node's calls. */
  start(calls: Pick<Calls, 'endTakenOver'>): void
}

interface RecoveryParts {
  readonly callbacks: CallbackOutbox
  readonly charging: CallCharging
  readonly conferenceStore: ConferenceStore
  readonly recorder: CallRecorder
  readonly streams: Streams
  readonly verifications: VerificationStore
}

/**
 * Registers this node among those that share the database, and recovers its previous process's work. With
 * SQLite there is only one node.
 */
export async function joinNodes(
  base: Base,
  parts: RecoveryParts,
  share: NodeShare,
): Promise<JoinedNodes> {
  const { config, db, disposer, log } = base
  if (db.engine === 'sqlite') {
    await recoverAll(base, parts)
    return { start: () => undefined }
  }
  let calls: Pick<Calls, 'endTakenOver'> | undefined
  const lease = disposer.use(
    new NodeLease({
      db,
      log,
      leaseMs: 1_000 * config.database.nodeLeaseSeconds,
      workers: () => nodesWithCalls(db.read),
      handOver: async (tx, from, to) => {
        await handOverCalls(tx, from, to)
        await handOverConferences(tx, from, to)
        await releaseClaims(tx, from)
        await releaseJobs(tx, from)
        await releasePorts(tx, from)
        await releaseOrders(tx, from)
        await releaseProvisions(tx, from)
        await releaseBuilds(tx, from, systemClock.now())
      },
      recover: async (remains) => {
        await recoverAll(base, parts, remains)
        await db.write((tx) => handOverDialogs(tx, remains, db.node))
      },
      onNodes: (names) => {
        share.note(names, db.node)
      },
      onDeclaredDead: () => {
        calls?.endTakenOver()
      },
    }),
  )
  await lease.register()
  await recoverAll(base, parts)
  return {
    start: (live) => {
      calls = live
      lease.start()
    },
  }
}

/**
 * Recovers the features in sequence, in the order of callbacks: a call's last callback names its recordings and
 * must follow all its others. Dialogs are recovered when a signaling server connects, channels when a media
 * server connects; the registry's jobs and the outbox resume by themselves. With `remains`, ends the work that
 * a dead node of that name left.
 */
async function recoverAll(
  { clock, db, log }: Base,
  parts: RecoveryParts,
  remains?: string,
): Promise<void> {
  const { callbacks: outbox, charging, conferenceStore, recorder, streams, verifications } = parts
  const find = (accountSid: string, sid: string) => findCall(db.read, accountSid, sid)
  const recoveries: readonly (readonly [what: string, recover: () => Promise<number>])[] = [
    ['queue members', () => recoverQueueMembers({ db, outbox, findCall: find, node: remains })],
    ['streams', () => streams.recover(remains)],
    ['conferences', () => conferenceStore.recover(remains)],
    ['recordings', () => recorder.recordings.recover(remains)],
    ['calls', () => recoverCalls({ db, clock, recorder, outbox, charging, node: remains })],
    ['caller ID verifications', () => recoverVerifications(verifications, find)],
  ]
  for (const [what, recover] of recoveries) {
    const count = await recover()
    if (count > 0) log.warn({ count }, `recovered unfinished ${what}`)
  }
}
