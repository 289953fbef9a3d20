import { isOutOfReach } from '../../../voice/telephony/callback-reach.js'
import type { ServerUrl } from '../../../voice/telephony/server-url.js'
import { LineSocket } from './line-socket.js'
import {
  type AskFreeswitch,
  type CallbackAddress,
  type CallbackReach,
  probeCallback,
} from './probe-callback.js'

export interface FreeswitchReport {
  readonly version: string
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

/** The profile of `freeswitch-conf/`, which drachtio-fsmrf looks up by its name. */
const PROFILE = 'drachtio_mrf'

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
  const profile = await api(`sofia status profile ${PROFILE}`)
  const address = (name: string) =>
    new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(profile)?.[1]?.replace(/^autonat:/, '')
  const seesFolder = (await api(`file_exists ${folder}`)).trim() === 'true'
  const sdpAddress = address('Ext-RTP-IP') ?? address('RTP-IP')
  const missingModules: string[] = []
  for (const module of modules)
    if ((await api(`module_exists ${module}`)).trim() === 'false') missingModules.push(module)
  const reach = await reachOf(api, /^URL\s+sip:[^@\s]*@(\S+)/m.exec(profile)?.[1])
  return { version, sdpAddress, seesFolder, callback: reach, missingModules }

  async function reachOf(ask: AskFreeswitch, sip: string | undefined): Promise<CallbackReach> {
    if (isOutOfReach(callback.toldHost, socket.ends)) return 'not-reached'
    if (sip === undefined) return 'not-tried'
    return await probeCallback(ask, `sofia/${PROFILE}/doctor@${sip}`, callback)
  }
}

async function ask(socket: LineSocket, command: string): Promise<string> {
  socket.write(`api ${command}\n\n`)
  const [, length = '0'] = await socket.match(/api\/response\s+Content-Length: (\d+)\s*?\n\n/)
  if (length === '0') return ''
  const [body] = await socket.match(new RegExp(`[\\s\\S]{${Math.min(Number(length), 65_535)}}`))
  return body
}
