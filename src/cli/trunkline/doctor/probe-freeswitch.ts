import { isOutOfReach } from '../../../voice/telephony/callback-reach.js'
import { isMissing } from '../../../voice/telephony/needed-modules.js'
import type { ServerUrl } from '../../../voice/telephony/server-url.js'
import { SIP_PROFILE, sipProfileOf } from '../../../voice/telephony/sip-profile.js'
import { LineSocket } from './line-socket.js'
import {
  type AskFreeswitch,
  type CallbackAddress,
  type CallbackReach,
  probeCallback,
} from './probe-callback.js'

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

/** What trunkline expects of the server. */
export interface ExpectedOfFreeswitch {
  readonly folder: string
  readonly callback: CallbackAddress
  readonly modules: readonly string[]
}

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

async function ask(socket: LineSocket, command: string): Promise<string> {
  socket.write(`api ${command}\n\n`)
  const [, length = '0'] = await socket.match(/api\/response\s+Content-Length: (\d+)\s*?\n\n/)
  if (length === '0') return ''
  const [body] = await socket.match(new RegExp(`[\\s\\S]{${Math.min(Number(length), 65_535)}}`))
  return body
}
