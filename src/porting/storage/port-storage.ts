/** Stores ports with their numbers and history. */
import type { Reader, Writer } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import type { Selectable } from '../../platform/database/tables.js'
import { InvariantError } from '../../platform/errors.js'
import type {
  NumberFeatures,
  Port,
  PortedNumber,
  PortKind,
  PortState,
  Progress,
  Subscriber,
} from '../port.js'
import type { PortsTable } from '../tables.js'

type PortRow = Selectable<PortsTable>

export interface PortFilter {
  readonly accountSid?: string | undefined
  readonly state?: PortState | undefined
  readonly kind?: PortKind | undefined
  /** True: only ports whose letter is stored or not required. */
  readonly isSigned?: boolean | undefined
  /** A number of the port, E.164. */
  readonly e164?: string | undefined
}

/** Creates a ticket and resolves with its number. */
export async function insertTicket(
  tx: Writer,
  ticket: { readonly accountSid: string; readonly at: number },
): Promise<number> {
  const { id } = await tx
    .insertInto('port_tickets')
    .values({ accountSid: ticket.accountSid, createdAt: ticket.at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores a port under the first free pid; resolves with the stored port. */
export async function insertPort(
  tx: Writer,
  port: Omit<Port, 'pid'>,
  pids: readonly string[],
  nextAt: number | null,
): Promise<Port> {
  for (const pid of pids) {
    const stored = { ...port, pid }
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('ports')
      .values({ ...toRow(stored), nextAt, claimedBy: null, claimedUntil: null })
      .onConflict((known) => known.column('pid').doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows > 0n) return stored
  }
  throw new InvariantError('no pid is free')
}

/** Stores the numbers of a port; resolves with those already in another open port. */
export async function insertNumbers(
  tx: Writer,
  portSid: string,
  numbers: readonly PortedNumber[],
): Promise<readonly string[]> {
  const taken: string[] = []
  for (const { e164, features } of numbers) {
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('port_numbers')
      .values({
        portSid,
        phoneNumber: e164,
        openNumber: e164,
        features: JSON.stringify(features),
      })
      .onConflict((known) => known.column('openNumber').doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 0n) taken.push(e164)
  }
  return taken
}

/** Releases the numbers of a port for other ports. */
export async function freeNumbers(tx: Writer, portSid: string): Promise<void> {
  await tx
    .updateTable('port_numbers')
    .set({ openNumber: null })
    .where('portSid', '=', portSid)
    .execute()
}

/** Sets the features of a number of a port. */
export async function setFeatures(
  tx: Writer,
  portSid: string,
  { e164, features }: PortedNumber,
): Promise<void> {
  await tx
    .updateTable('port_numbers')
    .set({ features: JSON.stringify(features) })
    .where('portSid', '=', portSid)
    .where('phoneNumber', '=', e164)
    .execute()
}

/** Account and pid of the open port that has a number. */
export async function openPortOf(
  read: Reader,
  e164: string,
): Promise<{ readonly accountSid: string; readonly pid: string } | undefined> {
  const row = await read
    .selectFrom('port_numbers')
    .innerJoin('ports', 'ports.sid', 'port_numbers.portSid')
    .select(['ports.accountSid', 'ports.pid'])
    .where('port_numbers.openNumber', '=', e164)
    .executeTakeFirst()
  return row && { accountSid: row.accountSid, pid: row.pid }
}

/** The first numbers of an account's open ports. */
export async function openNumbersOf(read: Reader, accountSid: string): Promise<readonly string[]> {
  const rows = await read
    .selectFrom('port_numbers')
    .innerJoin('ports', 'ports.sid', 'port_numbers.portSid')
    .select('port_numbers.openNumber')
    .where('ports.accountSid', '=', accountSid)
    .where('port_numbers.openNumber', 'is not', null)
    .orderBy('port_numbers.openNumber')
    .limit(10)
    .execute()
  return rows.flatMap(({ openNumber }) => openNumber ?? [])
}

/**
 * Stores a change over the previous one; false when another change came first. Ends any claim on the port.
 */
export async function updatePort(tx: Writer, port: Port, nextAt: number | null): Promise<boolean> {
  const { sid: _sid, accountSid: _account, pid: _pid, createdAt: _created, ...row } = toRow(port)
  const { numUpdatedRows } = await tx
    .updateTable('ports')
    .set({ ...row, nextAt, claimedBy: null, claimedUntil: null })
    .where('sid', '=', port.sid)
    .where('changes', '=', port.changes - 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findPort(read: Reader, pid: string): Promise<Port | undefined> {
  const row = await read.selectFrom('ports').selectAll().where('pid', '=', pid).executeTakeFirst()
  return row && (await withNumbers(read, [row]))[0]
}

export async function findPortBySid(read: Reader, sid: string): Promise<Port | undefined> {
  const row = await read.selectFrom('ports').selectAll().where('sid', '=', sid).executeTakeFirst()
  return row && (await withNumbers(read, [row]))[0]
}

/** The matching ports, newest first. */
export async function listPorts(
  read: Reader,
  filter: PortFilter,
  page: PageRequest,
): Promise<Page<Port>> {
  let matching = read.selectFrom('ports').selectAll()
  const { accountSid, state, kind, isSigned, e164 } = filter
  if (accountSid !== undefined) matching = matching.where('accountSid', '=', accountSid)
  if (state !== undefined) matching = matching.where('state', '=', state)
  if (kind !== undefined) matching = matching.where('kind', '=', kind)
  if (isSigned !== undefined) matching = matching.where('isSigned', '=', Number(isSigned))
  if (e164 !== undefined)
    matching = matching.where('sid', 'in', (select) =>
      select.selectFrom('port_numbers').select('portSid').where('phoneNumber', '=', e164),
    )
  const found = await listNewestFirst({ read, matching }, page)
  return { ...found, items: await withNumbers(read, found.items) }
}

async function withNumbers(read: Reader, rows: readonly PortRow[]): Promise<readonly Port[]> {
  if (rows.length === 0) return []
  const numbers = await read
    .selectFrom('port_numbers')
    .selectAll()
    .where(
      'portSid',
      'in',
      rows.map(({ sid }) => sid),
    )
    .orderBy('phoneNumber')
    .execute()
  const bySid = new Map<string, PortedNumber[]>(rows.map(({ sid }) => [sid, []]))
  for (const { portSid, phoneNumber, features } of numbers)
    bySid.get(portSid)?.push({
      e164: phoneNumber,
      features: JSON.parse(features) as NumberFeatures, // as it was stored
    })
  return rows.map((row) => toPort(row, bySid.get(row.sid) ?? []))
}

function toRow(port: Port): Omit<PortRow, 'nextAt' | 'claimedBy' | 'claimedUntil'> {
  return {
    sid: port.sid,
    accountSid: port.accountSid,
    pid: port.pid,
    ticket: port.ticket,
    kind: port.kind,
    state: port.progress.state,
    isSigned: Number(port.isSigned),
    foc: port.foc ?? null,
    changes: port.changes,
    message: port.message,
    subscriber: JSON.stringify(port.subscriber),
    pinSealed: port.pinSealed ?? null,
    losingCarrier: port.losingCarrier,
    enteredAt: port.enteredAt,
    createdAt: port.createdAt,
    updatedAt: port.updatedAt,
  }
}

function toPort(row: PortRow, numbers: readonly PortedNumber[]): Port {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    pid: row.pid,
    ticket: row.ticket,
    kind: row.kind,
    progress: progressOf(row),
    isSigned: row.isSigned === 1,
    foc: row.foc ?? undefined,
    changes: row.changes,
    message: row.message,
    subscriber: JSON.parse(row.subscriber) as Subscriber, // as it was stored
    pinSealed: row.pinSealed ?? undefined,
    losingCarrier: row.losingCarrier,
    numbers,
    enteredAt: row.enteredAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function progressOf({ state, isSigned, foc, message }: PortRow): Progress {
  switch (state) {
    case 'submitted':
      return { state, isSigned: isSigned === 1 }
    case 'foc':
    case 'complete':
      return { state, foc: foc ?? '' }
    case 'exception':
      return { state, reason: message }
    case 'validating':
    case 'pending':
    case 'cancelled':
      return { state }
  }
}
