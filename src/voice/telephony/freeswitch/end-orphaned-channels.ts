/**
 * Recovery: ends channels whose trunkline process is gone. `socket_resume` makes FreeSWITCH end
 * most of them by itself. A channel that was bridged once stays, in CS_RESET or parked.
 */
import { connect } from 'node:net'
import type { Logger } from '../../../platform/log.js'
import {
  type ApiCommand,
  killCommand,
  listChannelsCommand,
  ownerAddressCommand,
} from './command-builder.js'

const PROBE_LIMIT_MS = 1_000

/** The address that a channel connected to when it began. */
interface Owner {
  readonly host: string
  readonly port: number
}

/**
 * Ends the orphaned channels. `own` is the address that this process's channels connect to. A
 * channel is an orphan when it connected to another port of the same host, as an earlier process's
 * channels did, and nothing listens on that port.
 */
export async function endOrphanedChannels(
  api: (command: ApiCommand) => Promise<string>,
  own: Owner,
  log: Logger,
): Promise<void> {
  const probes = new Map<number, Promise<boolean>>()
  for (const channel of channelsOf(await api(listChannelsCommand()))) {
    const owner = addressOf(await api(ownerAddressCommand(channel)))
    if (owner?.host !== own.host || owner.port === own.port) continue
    const probe = probes.get(owner.port) ?? isListening(owner)
    probes.set(owner.port, probe)
    if (await probe) continue
    log.warn({ channel }, 'ended an orphaned channel')
    await api(killCommand(channel))
  }
}

function channelsOf(json: string): string[] {
  const list: unknown = JSON.parse(json)
  if (!hasRows(list)) return []
  return list.rows.flatMap((row) => (typeof row.uuid === 'string' ? [row.uuid] : []))
}

function hasRows(list: unknown): list is { readonly rows: readonly { readonly uuid?: unknown }[] } {
  return typeof list === 'object' && list !== null && 'rows' in list && Array.isArray(list.rows)
}

function addressOf(text: string): Owner | undefined {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text.trim()) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
}

function isListening({ host, port }: Owner): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal: AbortSignal.timeout(PROBE_LIMIT_MS) })
    socket.once('connect', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', (err: NodeJS.ErrnoException) => {
      // Only a refused connection proves that nothing listens.
      resolve(err.code !== 'ECONNREFUSED')
    })
  })
}
