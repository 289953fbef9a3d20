import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6, type Server } from 'node:net'
import { withLimit } from '../../../platform/async/limit.js'
import { isMissing } from '../../../voice/telephony/needed-modules.js'
import { isOutOfReach } from '../../../voice/telephony/reach.js'
import type { ServerUrl } from '../../../voice/telephony/server-url.js'
import { SIP_PROFILE, sipProfileOf } from '../../../voice/telephony/sip-profile.js'
import { LineSocket } from './line-socket.js'

export interface FreeswitchReport {
  readonly version: string
  /** Whether it has the profile that takes our INVITEs. */
  readonly hasProfile: boolean
  /** The address in the `c=` line of its SDP; undefined when the profile does not tell. */
  readonly sdpAddress: string | undefined
  /** Whether it sees the folder at the same path. */
  readonly seesFolder: boolean
  /** Whether its channels connect back to the address that they are told. */
  readonly callback: CallbackReach
  readonly missingModules: readonly string[]
}

/** Expected settings of the server. */
export interface ExpectedOfFreeswitch {
  readonly folder: string
  readonly callback: CallbackAddress
  readonly modules: readonly string[]
}

/** Sends an `api` command; resolves with its answer. */
type AskFreeswitch = (command: string) => Promise<string>

/** Address that channels connect back to: the one we listen on, and the one FreeSWITCH uses. */
export interface CallbackAddress {
  readonly listenHost: string
  readonly toldHost: string
}

/** `not-tried`: FreeSWITCH did not take the call by which this is tried. */
export type CallbackReach = 'reached' | 'not-reached' | 'not-ours' | 'not-tried'

const CALL_SECONDS = 2
/** Time for the connection after the answer of the call, ms. */
const CONNECT_LIMIT_MS = 1_500

/** Authenticates at an event socket and asks; rejects with what went wrong. */
export async function probeFreeswitch(
  server: ServerUrl,
  { folder, callback, modules }: ExpectedOfFreeswitch,
): Promise<FreeswitchReport> {
  using socket = await LineSocket.open(server.host, server.port)
  await socket.match(/auth\/request\s/)
  socket.write(`auth ${server.secret}\n\n`)
  const [, reply = ''] = await socket.match(/Reply-Text: ([^\n]*)\n/)
  if (!reply.startsWith('+OK')) throw new Error(`it refuses: ${reply.trim()}`)
  const [, version = 'unknown'] = /Version (\S+)/.exec(await ask(socket, 'version')) ?? []
  const api: AskFreeswitch = (command) => ask(socket, command)
  const profile = sipProfileOf(await api(`sofia status profile ${SIP_PROFILE}`))
  const seesFolder = (await api(`file_exists ${folder}`)).trim() === 'true'
  const missingModules: string[] = []
  for (const module of modules)
    if (isMissing(module, await api(`module_exists ${module}`))) missingModules.push(module)
  const reach = await reachOf(api, profile?.sipAddress)
  const hasProfile = profile !== undefined
  const sdpAddress = profile?.advertisedRtpAddress
  return { version, hasProfile, sdpAddress, seesFolder, callback: reach, missingModules }

  async function reachOf(ask: AskFreeswitch, sip: string | undefined): Promise<CallbackReach> {
    if (isOutOfReach(callback.toldHost, socket.ends)) return 'not-reached'
    if (sip === undefined) return 'not-tried'
    return await probeCallback(ask, `sofia/${SIP_PROFILE}/doctor@${sip}`, callback)
  }
}

/**
 * Tries whether channels of FreeSWITCH reach us: it calls its own profile, at `target`, with the header
 * that drachtio's INVITEs have, and the dialplan connects back as for every leg.
 */
async function probeCallback(
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

async function ask(socket: LineSocket, command: string): Promise<string> {
  socket.write(`api ${command}\n\n`)
  const [, length = '0'] = await socket.match(/api\/response\s+Content-Length: (\d+)\s*?\n\n/)
  if (length === '0') return ''
  const [body] = await socket.match(new RegExp(`[\\s\\S]{${Math.min(Number(length), 65_535)}}`))
  return body
}
