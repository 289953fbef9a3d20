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
/** Maximum time for a channel to end after the command, ms; its recording is written before that. */
const END_LIMIT_MS = 3_000
const ASK_EVERY_MS = 50
const SECOND_LOOK_MS = 3_000

type Ask = (command: ApiCommand) => Promise<string>

/** The address that a channel connected back to when it was created. */
interface Owner {
  readonly host: string
  readonly port: number
}

export interface OrphanSearch {
  readonly api: Ask
  /** The address that this process's channels connect back to. */
  readonly own: Owner
  readonly log: Logger
  readonly stop: AbortSignal
  /** Time between the two searches, ms; 3,000 by default. */
  readonly againMs?: number
}

/**
 * Ends the orphaned channels in two searches, and waits up to three seconds after each until they
 * have ended. The second search finds channels whose INVITE was in flight and those that FreeSWITCH
 * did not list yet: its list lags behind. A channel is an orphan when it connected back to another
 * port of `own.host`, as an earlier process's channels did, and nothing listens on that port.
 */
export async function endOrphanedChannels(search: OrphanSearch): Promise<void> {
  const { againMs = SECOND_LOOK_MS, log, stop } = search
  const look = async () => {
    try {
      await lookOnce(search)
    } catch (err) {
      log.warn({ err }, 'could not end orphaned channels')
    }
  }
  await Promise.all([look(), pause(againMs, stop)])
  if (!stop.aborted) await look()
}

async function lookOnce({ api, own, log, stop }: OrphanSearch): Promise<void> {
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

/** Resolves with the channels that still exist after the time limit. */
async function thoseThatStay(
  channels: readonly string[],
  api: Ask,
  stop: AbortSignal,
): Promise<readonly string[]> {
  let left = channels
  for (let waitedMs = 0; !stop.aborted; waitedMs += ASK_EVERY_MS) {
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
