/** The history of ports: one row for each change. */
import type { Reader, Writer } from '../../platform/database/database.js'
import type { PortState } from '../port.js'

export type PortActor = 'customer' | 'operator' | 'carrier'

export interface PortChange {
  readonly change: number
  readonly state: PortState
  readonly actor: PortActor
  /** Description of the change for people. */
  readonly message: string
  readonly foc: string | undefined
  readonly at: number
}

export async function insertChange(tx: Writer, portSid: string, change: PortChange): Promise<void> {
  await tx
    .insertInto('port_history')
    .values({
      portSid,
      change: change.change,
      state: change.state,
      actor: change.actor,
      message: change.message,
      foc: change.foc ?? null,
      at: change.at,
    })
    .execute()
}

/** The changes of a port, oldest first. */
export async function historyOf(read: Reader, portSid: string): Promise<readonly PortChange[]> {
  const rows = await read
    .selectFrom('port_history')
    .selectAll()
    .where('portSid', '=', portSid)
    .orderBy('change')
    .execute()
  return rows.map((row) => ({
    change: row.change,
    state: row.state,
    actor: row.actor,
    message: row.message,
    foc: row.foc ?? undefined,
    at: row.at,
  }))
}
