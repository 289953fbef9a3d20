/** Sends audio to a media server as a party would, to see whether it takes and sends RTP at its address. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import sdpTransform from 'sdp-transform'
import { deferred } from '../../../platform/async/deferred.js'
import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import { echoCommand } from '../freeswitch/command-builder.js'
import type { Uac } from '../freeswitch/endpoint-dialog.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'

/** Nobody presses keys in a trial, and its end is seen by its result. */
const NO_EVENTS = { onDigit: () => undefined, onLost: () => undefined }
const PACKET_MS = 20
const SAMPLES = 160
const HEADER_BYTES = 12
/** A µ-law sample that is neither silence nor comfort noise. */
const SAMPLE = 0x3c
/** The time within which a packet must come back. */
const LIMIT_MS = 2_000

interface Place {
  readonly host: string
  readonly port: number
}

/**
 * True when audio comes back that is sent to the address in the server's SDP, where a channel echoes it.
 * Rejects with AdapterError when there is no such channel.
 */
export async function audioComesBack(connection: MediaConnection, uac: Uac): Promise<boolean> {
  const { localAddress } = connection.ends
  if (localAddress === undefined) throw new AdapterError('the media server is lost')
  const host = ipaddr.process(localAddress).toString()
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  // An address without a way to it shows by the silence.
  socket.on('error', () => undefined)
  try {
    socket.bind(0, host)
    await once(socket, 'listening')
    const sdp = offerAt({ host, port: socket.address().port })
    const peer = { sdp, from: '', security: 'plain' } as const
    const endpoint = await connection.createEndpoint({ uac, events: NO_EVENTS, peer })
    try {
      // It ends with the channel, whose end is ours.
      endpoint.execute(echoCommand()).catch(() => undefined)
      return await hearsItself(socket, placeIn(endpoint.localSdp))
    } finally {
      await endpoint.release()
    }
  } finally {
    socket.close()
  }
}

/** Sends packets until one comes back, or for so long. */
async function hearsItself(socket: Socket, { host, port }: Place): Promise<boolean> {
  const heard = deferred<boolean>()
  socket.on('message', (packet) => {
    if (packet.length > HEADER_BYTES && packet.subarray(HEADER_BYTES).every(isOurs))
      heard.resolve(true)
  })
  let sequence = 0
  const timer = setInterval(() => {
    sequence += 1
    // A packet that cannot be sent is one that does not come back.
    socket.send(packetOf(sequence), port, host, () => undefined)
  }, PACKET_MS)
  try {
    return await withLimit(heard.done, LIMIT_MS, () => false)
  } finally {
    clearInterval(timer)
  }
}

const isOurs = (byte: number): boolean => byte === SAMPLE

/** An RTP packet of PCMU (RFC 3550 §5.1, RFC 3551 §6). */
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

/** Where the server's SDP says that audio goes. */
function placeIn(sdp: string): Place {
  const session = sdpTransform.parse(sdp)
  const [line] = session.media
  const host = line?.connection?.ip ?? session.connection?.ip
  if (line === undefined || host === undefined) throw new AdapterError('an answer without audio')
  return { host, port: line.port }
}
