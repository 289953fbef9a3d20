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

/** Stores a port-out under way; false when the number has one. */
export async function insertPortOut(tx: Writer, portOut: PortOut): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('port_outs')
    .values({
      sid: portOut.sid,
      account_sid: portOut.accountSid,
      phone_number: portOut.e164,
      open_number: portOut.e164,
      gaining_carrier: portOut.gainingCarrier,
      state: portOut.state,
      created_at: portOut.createdAt,
      updated_at: portOut.updatedAt,
    })
    .onConflict((known) => known.column('open_number').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Ends a port-out that is under way; false when it is over. */
export async function settlePortOut(
  tx: Writer,
  { sid, state, updatedAt }: Pick<PortOut, 'sid' | 'state' | 'updatedAt'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('port_outs')
    .set({ state, updated_at: updatedAt, open_number: null })
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
    accountSid: row.account_sid,
    e164: row.phone_number,
    gainingCarrier: row.gaining_carrier,
    state: row.state,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
