/**
 * Ends channels whose trunkline is gone. FreeSWITCH ends most of them by itself (`socket_resume`),
 * but not those that were bridged once: they wait, in CS_RESET or parked, for nobody.
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

/** Where a channel connected to when it began. */
interface Owner {
  readonly host: string
  readonly port: number
}

/**
 * `own` is where our channels connect to. A channel is an orphan when it began with another port of
 * the same host, as ours of a former life did, and nobody listens there any more.
 */
export async function clearOrphans(
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
    log.warn({ channel }, 'a channel was left behind; it is ended')
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
      // Only a refusal proves that nobody is there.
      resolve(err.code !== 'ECONNREFUSED')
    })
  })
}
