/** Creates offers and answers (RFC 3264) for one audio stream with G.711, G.722 and RFC 4733 digits. */
import { isIPv6 } from 'node:net'
import {
  type CryptoAttribute,
  writeCryptoAttribute,
} from '../../../platform/sdes/crypto-attribute.js'
import { type AudioCodec, PAYLOAD_TYPES } from '../../media/codecs/audio-codec.js'
import type { RemoteMedia } from '../../media/model/remote-media.js'
import type { LocalKeys } from './local-keys.js'
import { readMediaLines, type SdpDirection, type SdpMediaLine } from './sdp-media.js'

export interface LocalMedia {
  readonly address: string
  readonly port: number
  /** The session id, constant for the life of the session (RFC 8866 §5.2). */
  readonly sessionId: number
  /** The version, which must increase with every changed description of the session; default 1. */
  readonly sessionVersion?: number
  /** The wanted direction; the answer has at most what the offer allows. Default `sendrecv`. */
  readonly direction?: SdpDirection
  /**
   * Our keys. With keys, only secure audio (RFC 4568) is accepted; without keys, only plain audio.
   * Plain audio with keys, which no RFC defines, is refused, as FreeSWITCH does.
   */
  readonly keys?: LocalKeys | undefined
  /** The name in `o=` and `s=`; default `-`. */
  readonly name?: string
  /**
   * Our codecs, the preferred one first; G.711 when absent. An answer selects the offer's first
   * match.
   */
  readonly codecs?: readonly AudioCodec[]
}

export interface SdpAnswer {
  readonly sdp: string
  readonly remote: RemoteMedia
}

export interface SdpRefusal {
  readonly refuse: 488
}

const G711: readonly AudioCodec[] = ['PCMU', 'PCMA']
/** Maximum packet length that a peer may request, ms, as in FreeSWITCH; beyond it, `PTIME_MS` is used. */
const LONGEST_PTIME_MS = 120
const PTIME_MS = 20
/** The offered payload type for digits; RFC 4733 makes it dynamic, but peers expect 101. */
const OFFERED_DTMF_TYPE = 101
const PLAIN_RTP: ReadonlySet<string> = new Set(['RTP/AVP', 'RTP/AVPF'])
const SECURE_RTP: ReadonlySet<string> = new Set(['RTP/SAVP', 'RTP/SAVPF'])

/**
 * Answers an offer: returns the description for a 200 (or 183) and the destination; 488 when no
 * codec of the offer is ours.
 */
export function answerOffer(offer: string, local: LocalMedia): SdpAnswer | SdpRefusal {
  const lines = readMediaLines(offer)
  const index = lines?.findIndex((line) => isSpoken(line, local)) ?? -1
  const chosen = lines?.[index]
  const plain = chosen && remoteOf(chosen, local)
  if (lines === undefined || chosen === undefined || plain === undefined) return { refuse: 488 }
  const [peer] = chosen.crypto
  const own = peer && local.keys?.answerTo(peer)
  const remote = withKeys(plain, own, peer)
  // RFC 3264 §6: one line for each line of the offer; port zero refuses.
  const answers = lines.map((line, at) =>
    at === index ? acceptedLine(local, line.protocol, remote, own) : refusedLine(line),
  )
  return { sdp: describe(local, answers), remote }
}

/** Creates our own offer: our codecs and digits, and every suite when the offer is secure. */
export function makeOffer(local: LocalMedia): string {
  const offered = local.keys?.offered() ?? []
  const protocol = local.keys === undefined ? 'RTP/AVP' : 'RTP/SAVP'
  return describe(local, [
    mediaLine(local.port, protocol, { codecs: local.codecs ?? G711, dtmfType: OFFERED_DTMF_TYPE }) +
      offered.map(cryptoLine).join('') +
      directionLine(local.direction ?? 'sendrecv'),
  ])
}

/**
 * Returns the destination in the answer to our offer; undefined when the answer refused the audio
 * or accepted none of our keys.
 */
export function readAnswer(
  sdp: string,
  local: Pick<LocalMedia, 'direction' | 'keys' | 'codecs'> = {},
): RemoteMedia | undefined {
  const { keys } = local
  const line = readMediaLines(sdp)?.find((one) => isSpoken(one, local))
  const remote = line && remoteOf(line, local)
  if (line === undefined || remote === undefined || keys === undefined) return remote
  const [peer] = line.crypto
  const own = peer && keys.acceptedBy(peer)
  return own && withKeys(remote, own, peer)
}

function isSpoken(line: SdpMediaLine, local: Pick<LocalMedia, 'keys' | 'codecs'>): boolean {
  const protocol = line.protocol.toUpperCase()
  const isRight =
    local.keys === undefined
      ? PLAIN_RTP.has(protocol) && !line.hasCrypto
      : SECURE_RTP.has(protocol) && line.crypto.length > 0
  return isRight && remoteOf(line, local) !== undefined
}

/** Returns the destination with the keys of both sides, if there are any. */
function withKeys(
  remote: RemoteMedia,
  own: CryptoAttribute | undefined,
  peer: CryptoAttribute | undefined,
): RemoteMedia {
  if (own === undefined || peer === undefined) return remote
  return { ...remote, srtp: { suite: own.suite, sendKey: own.key, receiveKey: peer.key } }
}

function remoteOf(
  line: SdpMediaLine,
  { direction: wanted = 'sendrecv', codecs = G711 }: Pick<LocalMedia, 'direction' | 'codecs'>,
): RemoteMedia | undefined {
  if (line.kind !== 'audio' || line.port === 0) return undefined
  const codec = line.formats
    .map((type) => codecOf(line, type, codecs))
    .find((found) => found !== undefined)
  if (codec === undefined || line.address === '') return undefined
  const dtmf = line.formats.find(
    (type) => line.encodings.get(type) === 'telephone-event/8000' && Number(type) <= 127,
  )
  return {
    address: line.address,
    port: line.port,
    codec,
    direction: ownDirection(line, wanted),
    ptimeMs: ptimeOf(line),
    ...(dtmf === undefined ? {} : { dtmfPayloadType: Number(dtmf) }),
  }
}

/** Returns the packet length for the peer: the requested one if the codecs support it. */
function ptimeOf({ ptimeMs = PTIME_MS }: SdpMediaLine): number {
  const isUsual = ptimeMs > 0 && ptimeMs <= LONGEST_PTIME_MS && ptimeMs % 10 === 0
  return isUsual ? ptimeMs : PTIME_MS
}

/**
 * Returns the codec of a payload type. Types 0, 8 and 9 need no mapping (RFC 3551 §6), but an
 * explicit mapping overrides the default.
 */
function codecOf(
  line: SdpMediaLine,
  type: string,
  codecs: readonly AudioCodec[],
): AudioCodec | undefined {
  const codec = codecs.find((one) => String(PAYLOAD_TYPES[one]) === type)
  const encoding = line.encodings.get(type)
  if (codec === undefined || encoding === undefined) return codec
  return encoding === `${codec.toLowerCase()}/8000` ? codec : undefined
}

function ownDirection(line: SdpMediaLine, wanted: SdpDirection): SdpDirection {
  // RFC 3264 §8.4: 0.0.0.0 is the old form of "do not send to me".
  const isDeaf = line.address === '0.0.0.0' || line.address === '::'
  const maySend = !isDeaf && (line.direction === 'sendrecv' || line.direction === 'recvonly')
  const mayReceive = line.direction === 'sendrecv' || line.direction === 'sendonly'
  const sends = maySend && (wanted === 'sendrecv' || wanted === 'sendonly')
  const receives = mayReceive && (wanted === 'sendrecv' || wanted === 'recvonly')
  if (sends) return receives ? 'sendrecv' : 'sendonly'
  return receives ? 'recvonly' : 'inactive'
}

function describe(local: LocalMedia, media: readonly string[]): string {
  const family = isIPv6(local.address) ? 'IP6' : 'IP4'
  const name = local.name ?? '-'
  const version = local.sessionVersion ?? 1
  return (
    `v=0\r\no=${name} ${local.sessionId} ${version} IN ${family} ${local.address}\r\n` +
    `s=${name}\r\nc=IN ${family} ${local.address}\r\nt=0 0\r\n${media.join('')}`
  )
}

function acceptedLine(
  local: LocalMedia,
  protocol: string,
  remote: RemoteMedia,
  own: CryptoAttribute | undefined,
): string {
  return (
    mediaLine(local.port, protocol, {
      codecs: [remote.codec],
      dtmfType: remote.dtmfPayloadType,
      ptimeMs: remote.ptimeMs,
    }) +
    (own === undefined ? '' : cryptoLine(own)) +
    directionLine(remote.direction)
  )
}

function cryptoLine(attribute: CryptoAttribute): string {
  return `a=crypto:${writeCryptoAttribute(attribute)}\r\n`
}

interface MediaFormat {
  readonly codecs: readonly AudioCodec[]
  readonly dtmfType: number | undefined
  readonly ptimeMs?: number | undefined
}

function mediaLine(
  port: number,
  protocol: string,
  { codecs, dtmfType, ptimeMs = PTIME_MS }: MediaFormat,
): string {
  const types = codecs.map((codec) => String(PAYLOAD_TYPES[codec]))
  const maps = codecs.map((codec) => `a=rtpmap:${String(PAYLOAD_TYPES[codec])} ${codec}/8000\r\n`)
  if (dtmfType !== undefined) {
    types.push(String(dtmfType))
    maps.push(`a=rtpmap:${dtmfType} telephone-event/8000\r\na=fmtp:${dtmfType} 0-15\r\n`)
  }
  return `m=audio ${port} ${protocol} ${types.join(' ')}\r\n${maps.join('')}a=ptime:${String(ptimeMs)}\r\n`
}

/** Returns the direction's line; `sendrecv` is the default and has none (RFC 8866 §6.7). */
function directionLine(direction: SdpDirection): string {
  return direction === 'sendrecv' ? '' : `a=${direction}\r\n`
}

function refusedLine(line: SdpMediaLine): string {
  return `m=${line.kind} 0 ${line.protocol} ${line.formats[0] ?? '0'}\r\n`
}
