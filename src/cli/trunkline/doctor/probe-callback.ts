import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6, type Server } from 'node:net'
import { withLimit } from '../../../platform/async/limit.js'

/** Sends an `api` command; resolves with its answer. */
export type AskFreeswitch = (command: string) => Promise<string>

/** The address that channels connect back to: as we listen on it, and as FreeSWITCH is told it. */
export interface CallbackAddress {
  readonly listenHost: string
  readonly toldHost: string
}

/** `not-tried`: FreeSWITCH did not take the call by which this is tried. */
export type CallbackReach = 'reached' | 'not-reached' | 'not-ours' | 'not-tried'

const CALL_SECONDS = 2
/** The time for the connection after the call was answered. */
const CONNECT_LIMIT_MS = 1_500

/**
 * Tries whether channels of FreeSWITCH reach us: it calls its own profile, at `target`, with the header
 * that drachtio's INVITEs have, and the dialplan connects back as for every leg.
 */
export async function probeCallback(
  ask: AskFreeswitch,
  target: string,
  { listenHost, toldHost }: CallbackAddress,
): Promise<CallbackReach> {
  if (!/^[\w.:-]+$/.test(toldHost)) return 'not-tried'
  const listener = await listen(listenHost)
  if (listener === undefined) return 'not-ours'
  const uuid = randomUUID()
  try {
    const connected = new Promise<CallbackReach>((resolve) => {
      listener.on('connection', (socket) => {
        socket.on('error', () => socket.destroy())
        socket.destroy()
        resolve('reached')
      })
    })
    const host = isIPv6(toldHost) ? `[${toldHost}]` : toldHost
    // A TCP listener's address is an object.
    const { port } = listener.address() as AddressInfo
    const variables = [
      `origination_uuid=${uuid}`,
      `originate_timeout=${String(CALL_SECONDS)}`,
      `sip_h_X-esl-outbound=${host}:${String(port)}`,
    ]
    const answer = await ask(`originate {${variables.join(',')}}${target} &park()`)
    if (!answer.startsWith('+OK')) return 'not-tried'
    const reach = await withLimit(connected, CONNECT_LIMIT_MS, () => 'not-reached' as const)
    await ask(`uuid_kill ${uuid}`)
    return reach
  } finally {
    listener.close()
  }
}

/** Resolves with a listener on a port that the system chooses; undefined when the address is not ours. */
async function listen(host: string): Promise<Server | undefined> {
  const listener = createServer()
  listener.listen(0, host)
  try {
    await once(listener, 'listening')
    return listener
  } catch {
    return undefined
  }
}
