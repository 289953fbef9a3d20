/** Wires the watch of the nodes that share a database over each other. */
import { releaseProvisions } from '../emergency/provisions.js'
import { releaseOrders } from '../numbers/number-purchases.js'
import { systemClock } from '../platform/clock.js'
import { NodeLease } from '../platform/nodes/node-lease.js'
import type { NodeShare } from '../platform/nodes/node-share.js'
import { releaseClaims } from '../platform/outbox/stream-operations.js'
import { releasePorts } from '../porting/storage/due-ports.js'
import { releaseJobs } from '../registry/jobs/jobs.js'
import type { Calls } from '../voice/calls/calls.js'
import {
  handOverCalls,
  handOverDialogs,
  nodesWithCalls,
} from '../voice/calls/recovery/hand-over.js'
import { handOverConferences } from '../voice/conferences/conference-store.js'
import { releaseBuilds } from '../voice/exports/storage/export-storage.js'
import type { Base } from './base.js'
import { type RecoveryParts, recoverAll } from './recovery.js'

export interface JoinedNodes {
  /** Begins to watch the others. The calls are told when another node has taken them over. */
  start(calls: Pick<Calls, 'endTakenOver'>): void
}

/**
 * Takes this node's place among those that share the database, and recovers what its former process
 * left. An SQLite database has one node.
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
