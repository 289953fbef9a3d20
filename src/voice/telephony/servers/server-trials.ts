import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import sdpTransform from 'sdp-transform'
import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { echoCommand } from '../freeswitch/command-builder.js'
import type { Uac } from '../freeswitch/endpoint-dialog.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'

/** Interval of repeated trials, ms: for a server with a fault, or whose trial could not be made. */
const AGAIN_MS = 10_000
const NO_EVENTS = { onDigit: () => undefined, onLost: () => undefined }

/** The part of a media server that its trials use. */
export interface TrialServer
  extends TriedServer,
    Pick<MediaConnection, 'name' | 'fault' | 'rtpAddress'> {}

export interface ServerTrialsDeps {
  /** Returns the connected media servers. */
  readonly connections: () => readonly TrialServer[]
  /** Returns the drachtio connection for trials; undefined while none is connected. */
  readonly uac: () => Uac | undefined
  /** True to try each server once when it connects, before any call uses it. */
  readonly isTriedFirst: boolean
  /** Called when `audioFaultOf` changes. */
  readonly onChange: () => void
  readonly log: Logger
}

/** Length of a trial's RTP packet, ms. */
const PACKET_MS = 20
const SAMPLES = 160
const HEADER_BYTES = 12
/** A µ-law sample that is neither silence nor comfort noise. */
const SAMPLE = 0x3c
/** Maximum time for a packet to come back, ms. */
const LIMIT_MS = 2_000

interface Place {
  readonly host: string
  readonly port: number
}

/** The part of a media server that one trial uses. */
interface TriedServer extends Pick<MediaConnection, 'ends'> {
  createEndpoint(
    request: Parameters<MediaConnection['createEndpoint']>[0],
  ): Promise<Pick<MediaEndpoint, 'localSdp' | 'execute' | 'release'>>
}

/**
 * Creates a test channel on a media server to check that it connects back: once when a callback address is
 * configured, and repeatedly while it fails. When the server's RTP address differs from its event socket's,
 * also checks that audio comes back from there. A trial that could not be made is repeated.
 */
export class ServerTrials implements Disposable {
  readonly #deps: ServerTrialsDeps
  readonly #tried = new WeakSet<TrialServer>()
  readonly #underTrial = new Set<TrialServer>()
  /** The servers that sent no audio back. */
  readonly #silent = new WeakSet<TrialServer>()
  /** The servers whose last trial could not be made, so its result is unknown. */
  readonly #owed = new WeakSet<TrialServer>()
  readonly #timer: NodeJS.Timeout

  constructor(deps: ServerTrialsDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      this.#tryEach(
        (each) => each.fault !== undefined || this.#silent.has(each) || this.#owed.has(each),
      )
    }, AGAIN_MS).unref()
  }

  /** Returns why peers may hear nothing on a server; undefined when audio came back or was not tried. */
  audioFaultOf(connection: TrialServer): string | undefined {
    if (!this.#silent.has(connection)) return undefined
    const { rtpAddress = '' } = connection
    return `no audio comes back from ${rtpAddress}, where FreeSWITCH tells parties to send theirs: check RTP_IP, EXT_RTP_IP and the firewall; a NAT that does not lead back inside looks the same`
  }

  /** Tries the connected servers that were not tried yet. */
  look(): void {
    const { isTriedFirst } = this.#deps
    this.#tryEach((each) => !this.#tried.has(each) && (isTriedFirst || hasOtherRtpAddress(each)))
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #tryEach(isWanted: (connection: TrialServer) => boolean): void {
    const uac = this.#deps.uac()
    if (uac === undefined) return
    for (const connection of this.#deps.connections().filter(isWanted)) {
      if (this.#underTrial.has(connection)) continue
      this.#tried.add(connection)
      this.#underTrial.add(connection)
      void this.#try(connection, uac).finally(() => {
        this.#underTrial.delete(connection)
      })
    }
  }

  async #try(connection: TrialServer, uac: Uac): Promise<void> {
    try {
      if (hasOtherRtpAddress(connection))
        this.#received(connection, await audioComesBack(connection, uac))
      else await (await connection.createEndpoint({ uac, events: NO_EVENTS })).release()
      this.#owed.delete(connection)
    } catch (err) {
      this.#owe(connection, err)
    }
  }

  /** Logs only the first of several failures in a row. */
  #owe(connection: TrialServer, err: unknown): void {
    if (this.#owed.has(connection)) return
    this.#owed.add(connection)
    this.#deps.log.warn({ err, server: connection.name }, 'a media server could not be tried')
  }

  #received(connection: TrialServer, isHeard: boolean): void {
    if (isHeard !== this.#silent.has(connection)) return
    if (isHeard) this.#silent.delete(connection)
    else this.#silent.add(connection)
    this.#deps.onChange()
  }
}

/**
 * Sends audio to a media server as a peer would, to check that it receives and sends RTP at its address.
 *
 * Resolves to true when audio sent to the address in the server's SDP comes back from a channel that echoes
 * it. Rejects with AdapterError when the channel cannot be created, or does not echo.
 */
export async function audioComesBack(connection: TriedServer, uac: Uac): Promise<boolean> {
  const { localAddress } = connection.ends
  if (localAddress === undefined) throw new AdapterError('the media server is lost')
  using party = await TrialParty.open(ipaddr.process(localAddress).toString())
  const peer = { sdp: offerAt(party.place), from: '', security: 'plain' } as const
  const endpoint = await connection.createEndpoint({ uac, events: NO_EVENTS, peer })
  try {
    const heard = party.hearsItself(placeIn(endpoint.localSdp))
    const echo = endOfEcho(endpoint.execute(echoCommand()))
    return await withLimit(Promise.race([heard, echo]), LIMIT_MS, () => false)
  } finally {
    await endpoint.release()
  }
}

/** Rejects when the echo ends. That only happens with its channel, since nobody interrupts it. */
async function endOfEcho(run: Promise<unknown>): Promise<never> {
  try {
    await run
  } catch (cause) {
    throw new AdapterError('the media server ended the channel of a trial', { cause })
  }
  throw new AdapterError('the media server refused to echo the audio of a trial')
}

/** The peer of a trial, with its own socket. Disposing it closes the socket and stops its packets. */
class TrialParty implements Disposable {
  readonly place: Place
  readonly #socket: Socket
  #timer: NodeJS.Timeout | undefined

  /** Rejects when the address cannot be bound. */
  static async open(host: string): Promise<TrialParty> {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    try {
      socket.bind(0, host)
      await once(socket, 'listening')
    } catch (err) {
      socket.close()
      throw err
    }
    // A send error counts as silence: no packet comes back.
    socket.on('error', () => undefined)
    return new TrialParty(socket, host)
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.place = { host, port: socket.address().port }
  }

  /** Sends packets until disposed; resolves when one of them comes back. */
  hearsItself({ host, port }: Place): Promise<true> {
    const socket = this.#socket
    let sequence = 0
    this.#timer = setInterval(() => {
      sequence += 1
      // A packet that cannot be sent does not come back.
      socket.send(packetOf(sequence), port, host, () => undefined)
    }, PACKET_MS)
    return new Promise((resolve) => {
      socket.on('message', (packet) => {
        if (packet.length > HEADER_BYTES && packet.subarray(HEADER_BYTES).every(isOurs))
          resolve(true)
      })
    })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#socket.close()
  }
}

const isOurs = (byte: number): boolean => byte === SAMPLE

/** Returns an RTP packet of PCMU (RFC 3550 §5.1, RFC 3551 §6). */
function packetOf(sequence: number): Buffer {
  const packet = Buffer.alloc(HEADER_BYTES + SAMPLES, SAMPLE)
  packet.writeUInt16BE(0x8000, 0)
  packet.writeUInt16BE(sequence & 0xffff, 2)
  packet.writeUInt32BE(sequence * SAMPLES, 4)
  packet.writeUInt32BE(SAMPLE, 8)
  return packet
}

function offerAt({ host, port }: Place): string {
  const address = `IN IP${isIPv6(host) ? '6' : '4'} ${host}`
  return [
    ...['v=0', `o=- 1 1 ${address}`, 's=-', `c=${address}`, 't=0 0'],
    ...[`m=audio ${String(port)} RTP/AVP 0 101`, 'a=rtpmap:0 PCMU/8000'],
    ...['a=rtpmap:101 telephone-event/8000', ''],
  ].join('\r\n')
}

/** Returns the RTP address and port in the server's SDP. */
function placeIn(sdp: string): Place {
  const session = sdpTransform.parse(sdp)
  const [line] = session.media
  const host = line?.connection?.ip ?? session.connection?.ip
  if (line === undefined || host === undefined) throw new AdapterError('an answer without audio')
  return { host, port: line.port }
}

/** True when peers send audio to another address than this process connects to. */
function hasOtherRtpAddress({ rtpAddress, ends }: TrialServer): boolean {
  const [rtp, own] = [rtpAddress, ends.remoteAddress].map((address) =>
    address === undefined || !ipaddr.isValid(address) ? undefined : ipaddr.process(address),
  )
  if (rtp === undefined || own === undefined || rtp.range() === 'unspecified') return false
  // The trial sends from the local address of the event-socket connection.
  if (rtp.kind() !== own.kind()) return false
  return rtp.toString() !== own.toString()
}
