import type { Reader, Writer } from '../database/database.js'
import type { Selectable } from '../database/tables.js'
import type { Sight } from './silence.js'
import type { NodesTable } from './tables.js'

/** Assigns the name to a process that starts, or that returns after it was declared dead. */
export async function register(tx: Writer, name: string, process: string): Promise<void> {
  await tx
    .insertInto('nodes')
    .values({ name, process, beats: 0, recoveredBy: null })
    .onConflict((known) => known.column('name').doUpdateSet({ process, recoveredBy: null }))
    .execute()
}

/** Increments the beat counter; false when the process has lost its name. */
export async function beat(tx: Writer, name: string, process: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('nodes')
    .set((each) => ({ beats: each('beats', '+', 1) }))
    .where('name', '=', name)
    .where('process', '=', process)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function leave(tx: Writer, name: string, process: string): Promise<void> {
  await tx.deleteFrom('nodes').where('name', '=', name).where('process', '=', process).execute()
}

export function allNodes(read: Reader): Promise<Selectable<NodesTable>[]> {
  return read.selectFrom('nodes').selectAll().execute()
}

/** Removes a silent node's name; false when the node has beaten meanwhile. */
export async function takeName(tx: Writer, { name, process, beats }: Sight): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('nodes')
    .where('name', '=', name)
    .where('process', '=', process)
    .where('beats', '=', beats)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** True while a node has the name; a node that is about to register it waits for this transaction. */
export async function isKnown(tx: Writer, name: string): Promise<boolean> {
  const known = tx.selectFrom('nodes').select('name').where('name', '=', name)
  return (await known.executeTakeFirst()) !== undefined
}

/** Records that the node `by` recovers a dead node's work. */
export async function noteRemains(tx: Writer, remains: string, by: string): Promise<void> {
  await tx
    .insertInto('nodes')
    .values({ name: remains, process: '', beats: 0, recoveredBy: by })
    .execute()
}

/** Reassigns the recovery of a dead node's work; false when a third node has it. */
export async function takeRemains(
  tx: Writer,
  remains: string,
  change: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('nodes')
    .set({ recoveredBy: change.to })
    .where('name', '=', remains)
    .where('recoveredBy', '=', change.from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function forgetRemains(tx: Writer, remains: string): Promise<void> {
  await tx.deleteFrom('nodes').where('name', '=', remains).execute()
}
