import { waitUntil } from '../time/wait-until.js'
import { type CollectedMemory, collectedMemory } from './collected-memory.js'
import { expectNothingLeft } from './nothing-left.js'
import { pidsOf, residentMb } from './process-memory.js'
import type { RunningTrunkline } from './trunkline.js'

export interface IdleMemory extends CollectedMemory {
  readonly resident: number
}

/** The last transaction ends 64×T1 after the last message. */
const TRANSACTIONS_LIMIT_MS = 60_000

/**
 * Memory of the server and the lab after a forced collection, MB, once no call, leg or SIP transaction is left.
 * `folder`: that of `reportingMemory`.
 */
export async function idleMemory(
  trunkline: RunningTrunkline,
  folder: string,
): Promise<Readonly<Record<'server' | 'lab', IdleMemory>>> {
  await expectNothingLeft(trunkline)
  const isIdle = async () => (await trunkline.metrics())['lab_transactions'] === 0
  await waitUntil('all transactions are over', isIdle, TRANSACTIONS_LIMIT_MS)
  const { server, lab } = pidsOf(trunkline)
  const of = async (pid: number): Promise<IdleMemory> => ({
    ...(await collectedMemory(folder, pid)),
    resident: residentMb(pid),
  })
  return { server: await of(server), lab: await of(lab) }
}
