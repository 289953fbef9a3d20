/** Stores port-outs. */
import type { Reader, Writer } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import type { Selectable } from '../../platform/database/tables.js'
import type { PortOutsTable } from '../tables.js'

export interface PortOut {
  readonly sid: string
  readonly accountSid: string
  readonly e164: string
  readonly gainingCarrier: string
  readonly state: 'pending' | 'complete' | 'cancelled'
  readonly createdAt: number
  readonly updatedAt: number
}

/** Stores a pending port-out; false when the number already has one. */
export async function insertPortOut(tx: Writer, portOut: PortOut): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('port_outs')
    .values({
      sid: portOut.sid,
      accountSid: portOut.accountSid,
      phoneNumber: portOut.e164,
      openNumber: portOut.e164,
      gainingCarrier: portOut.gainingCarrier,
      state: portOut.state,
      createdAt: portOut.createdAt,
      updatedAt: portOut.updatedAt,
    })
    .onConflict((known) => known.column('openNumber').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Ends a pending port-out; false when it has ended already. */
export async function settlePortOut(
  tx: Writer,
  { sid, state, updatedAt }: Pick<PortOut, 'sid' | 'state' | 'updatedAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('port_outs')
    .set({ state, updatedAt, openNumber: null })
    .where('sid', '=', sid)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findPortOut(read: Reader, sid: string): Promise<PortOut | undefined> {
  const row = await read
    .selectFrom('port_outs')
    .selectAll()
    .where('sid', '=', sid)
    .executeTakeFirst()
  return row && toPortOut(row)
}

/** The port-outs of all accounts, newest first. */
export async function listPortOuts(read: Reader, page: PageRequest): Promise<Page<PortOut>> {
  const matching = read.selectFrom('port_outs').selectAll()
  const found = await listNewestFirst({ read, matching }, page)
  return { ...found, items: found.items.map(toPortOut) }
}

function toPortOut(row: Selectable<PortOutsTable>): PortOut {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    e164: row.phoneNumber,
    gainingCarrier: row.gainingCarrier,
    state: row.state,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
