/**
 * Recovery: ends channels whose trunkline process is gone. `socket_resume` makes FreeSWITCH end
 * most of them by itself. A channel that was bridged once stays, in CS_RESET or parked.
 */
import { connect } from 'node:net'
import { pause } from '../../../platform/async/sleep.js'
import type { Logger } from '../../../platform/log.js'
import {
  type ApiCommand,
  channelExistsCommand,
  killCommand,
  listChannelsCommand,
  ownerAddressCommand,
} from './command-builder.js'

const PROBE_LIMIT_MS = 1_000
/** A channel ends some time after the command, and its recording is written out before that. */
const END_LIMIT_MS = 3_000
const ASK_EVERY_MS = 50

type Ask = (command: ApiCommand) => Promise<string>

/** The address that a channel connected to when it began. */
interface Owner {
  readonly host: string
  readonly port: number
}

/**
 * Ends the orphaned channels, and waits three seconds at most until they are gone. `own` is the
 * address that this process's channels connect to. A channel is an orphan when it connected to another
 * port of the same host, as an earlier process's channels did, and nothing listens on that port.
 */
export async function endOrphanedChannels(
  api: Ask,
  own: Owner,
  log: Logger,
  stop?: AbortSignal,
): Promise<void> {
  const probes = new Map<number, Promise<boolean>>()
  const ended: string[] = []
  for (const channel of channelsOf(await api(listChannelsCommand()))) {
    const owner = addressOf(await api(ownerAddressCommand(channel)))
    if (owner?.host !== own.host || owner.port === own.port) continue
    const probe = probes.get(owner.port) ?? isListening(owner)
    probes.set(owner.port, probe)
    if (await probe) continue
    log.warn({ channel }, 'ended an orphaned channel')
    await api(killCommand(channel))
    ended.push(channel)
  }
  const left = await thoseThatStay(ended, api, stop)
  if (left.length > 0) log.warn({ channels: left }, 'orphaned channels have not ended in time')
}

/** Resolves with the channels that are still there when the wait is over. */
async function thoseThatStay(
  channels: readonly string[],
  api: Ask,
  stop: AbortSignal | undefined,
): Promise<readonly string[]> {
  let left = channels
  for (let waitedMs = 0; stop?.aborted !== true; waitedMs += ASK_EVERY_MS) {
    const answers = await Promise.all(left.map((channel) => api(channelExistsCommand(channel))))
    left = left.filter((_, at) => answers[at] === 'true')
    if (left.length === 0 || waitedMs >= END_LIMIT_MS) break
    await pause(ASK_EVERY_MS, stop)
  }
  return left
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
