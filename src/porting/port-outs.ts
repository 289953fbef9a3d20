/**
 * Port-outs: numbers that other carriers take over. The port-out PIN authorizes one; its completion removes
 * the number.
 */

import { handOverNumber } from '../numbers/held-numbers.js'
import { changeNumberSettings, findNumberWithSettings } from '../numbers/number-settings.js'
import { isPortOutPin } from '../numbers/port-out-pins.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import type { Page, PageRequest } from '../platform/database/newest-first.js'
import { newSid } from '../platform/ids.js'
import type { ChannelOutbox } from '../platform/outbox/outbox.js'
import type { Vault } from '../platform/secrets.js'
import { PortNotFoundError, PortOutRefusedError, PortStateError } from './port-errors.js'
import type { PortingMail } from './port-mails.js'
import {
  findPortOut,
  insertPortOut,
  listPortOuts,
  type PortOut,
  settlePortOut,
} from './storage/port-outs.js'

export type { PortOut } from './storage/port-outs.js'

export interface WantedPortOut {
  /** The number in E.164. */
  readonly e164: string
  readonly pin: string
  readonly gainingCarrier: string
}

export interface PortOuts {
  /**
   * Starts a port-out: the account can no longer remove the number. Rejects with PortNotFoundError when no
   * account holds the number, and with PortOutRefusedError when the PIN is wrong or a port-out is pending.
   */
  begin(wanted: WantedPortOut): Promise<PortOut>
  /**
   * Completes a port-out: removes the number from the account and the inventory. Rejects as `cancel` does.
   */
  complete(sid: string): Promise<PortOut>
  /**
   * Cancels a port-out; the number stays. Rejects with PortNotFoundError, and with PortStateError when it has
   * ended.
   */
  cancel(sid: string): Promise<PortOut>
  list(page: PageRequest): Promise<Page<PortOut>>
}

export interface PortOutDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly vault: Pick<Vault, 'open'>
  readonly mails: Pick<ChannelOutbox<PortingMail>, 'enqueue' | 'wake'>
}

export function createPortOuts(deps: PortOutDeps): PortOuts {
  const { db, clock } = deps
  const told = async (work: Promise<PortOut>): Promise<PortOut> => {
    const portOut = await work
    db.whenDurable(() => {
      deps.mails.wake()
    })
    return portOut
  }
  return {
    begin: (wanted) => {
      const made = { sid: newSid('PX'), now: clock.now() }
      return told(db.write((tx) => begin(tx, wanted, made, deps)))
    },
    complete: (sid) => {
      const now = clock.now()
      return told(
        db.write(async (tx) => {
          const portOut = await settle(tx, { sid, state: 'complete', now }, deps)
          const found = await findNumberWithSettings(tx, portOut.e164)
          if (found?.number.accountSid === portOut.accountSid)
            await handOverNumber(tx, found.number, now)
          return portOut
        }),
      )
    },
    cancel: (sid) => {
      const now = clock.now()
      return told(
        db.write(async (tx) => {
          const portOut = await settle(tx, { sid, state: 'cancelled', now }, deps)
          const found = await findNumberWithSettings(tx, portOut.e164)
          if (found?.number.accountSid === portOut.accountSid)
            await changeNumberSettings(tx, found.number.sid, { porting: null }, now)
          return portOut
        }),
      )
    },
    list: (page) => listPortOuts(db.read, page),
  }
}

async function begin(
  tx: Writer,
  { e164, pin, gainingCarrier }: WantedPortOut,
  { sid, now }: { readonly sid: string; readonly now: number },
  { vault, mails }: PortOutDeps,
): Promise<PortOut> {
  const found = await findNumberWithSettings(tx, e164)
  if (found === undefined) throw new PortNotFoundError(`Nobody here holds ${e164}`)
  const { number } = found
  if (!(await isPortOutPin(tx, vault, { numberSid: number.sid, pin })))
    throw new PortOutRefusedError('The PIN is not the port-out PIN of the number')
  const portOut: PortOut = {
    sid,
    accountSid: number.accountSid,
    e164,
    gainingCarrier,
    state: 'pending',
    createdAt: now,
    updatedAt: now,
  }
  if (!(await insertPortOut(tx, portOut)))
    throw new PortOutRefusedError(`A port-out of ${e164} is under way`)
  await changeNumberSettings(tx, number.sid, { porting: 'out' }, now)
  await mails.enqueue(tx, [mailOf(portOut)])
  return portOut
}

async function settle(
  tx: Writer,
  {
    sid,
    state,
    now,
  }: { readonly sid: string; readonly state: 'complete' | 'cancelled'; readonly now: number },
  { mails }: PortOutDeps,
): Promise<PortOut> {
  const known = await findPortOut(tx, sid)
  if (known === undefined) throw new PortNotFoundError(`There is no port-out ${sid.slice(0, 40)}`)
  const settled = { ...known, state, updatedAt: now }
  if (!(await settlePortOut(tx, settled)))
    throw new PortStateError(`The port-out is ${known.state} already`)
  await mails.enqueue(tx, [mailOf(settled)])
  return settled
}

function mailOf({ sid, accountSid, e164, gainingCarrier, state }: PortOut): PortingMail {
  return { kind: 'port-out', accountSid, portOutSid: sid, e164, gainingCarrier, state }
}
