/**
 * Reduces SDP between a peer and the media server to one audio line: our codecs and telephone
 * events, over plain RTP or over SRTP with SDES keys (RFC 4568). The media server never receives a
 * peer's video or candidates, nor keys beside plain RTP, which FreeSWITCH would refuse. The answer
 * declines the peer's other lines in place (RFC 3264 §6).
 */

import { isIP, isIPv4 } from 'node:net'
import sdpTransform, { type MediaDescription, type SessionDescription } from 'sdp-transform'
import {
  type CryptoAttribute,
  newMasterKey,
  readCryptoLines,
  type SrtpSuite,
} from '../../platform/sdes/crypto-attribute.js'
import { CODECS, type Codec, G711 } from './codecs.js'
import {
  codecsIn,
  g711First,
  ptimeOf,
  withBothLaws,
  withCodecs,
  withOurCodecs,
} from './line-codecs.js'

/** Maximum length of an SDP; real phones stay below it, and a longer one is treated as an attack. */
const MAX_SDP_CHARACTERS = 16_384
const MAX_LINES = 32
const PLAIN_RTP = ['RTP/AVP', 'RTP/AVPF']
const SECURE_RTP = ['RTP/SAVP', 'RTP/SAVPF']
/**
 * The one suite that we offer; every SDES implementation has it. FreeSWITCH keeps the suite of a
 * channel's first description, and refuses an answer with another one.
 */
const OFFERED_SUITE: SrtpSuite = 'AES_CM_128_HMAC_SHA1_80'

/** Plain RTP or SRTP. */
export type MediaSecurity = 'plain' | 'secure'

/**
 * How the codec of an answer is chosen. `peer` keeps the order of the offer; `g711-first` uses
 * G.711 wherever it is offered, so that no media server has to transcode.
 */
export type CodecOrder = 'peer' | 'g711-first'

export interface PeerSdp {
  /** The SDP for the media server. */
  readonly audio: string
  /** The peer's media lines, and the index of its audio line. */
  readonly lines: readonly MediaDescription[]
  readonly index: number
  readonly security: MediaSecurity
  /** The codecs of the audio line. */
  readonly codecs: readonly Codec[]
}

/**
 * Returns the peer's SRTP audio line, else its plain one; with `wanted`, only a line of that kind.
 * Undefined without a usable audio line, which is answered with 488 (RFC 3261 §21.4.26).
 */
export function audioOf(
  sdp: string,
  wanted?: MediaSecurity,
  order: CodecOrder = 'peer',
): PeerSdp | undefined {
  if (sdp.length > MAX_SDP_CHARACTERS) return undefined
  const session = parse(sdp)
  // The types promise an origin, which is absent when there is no such line.
  const hasOrigin = 'origin' in session
  if (!hasOrigin || session.media.length > MAX_LINES) return undefined
  for (const security of ['secure', 'plain'] as const) {
    if (wanted !== undefined && wanted !== security) continue
    const index = session.media.findIndex((line) => isUsable(line, security))
    const line = session.media[index]
    if (line === undefined) continue
    const all = reduced(line, security)
    const codecs = codecsIn(line)
    const ordered = order === 'peer' ? all : withCodecs(all, g711First(codecs))
    return { audio: write(session, [ordered]), lines: session.media, index, security, codecs }
  }
  return undefined
}

/** True for an SDP with audio but without any of our codecs. */
export function lacksCodec(sdp: string): boolean {
  if (sdp.length > MAX_SDP_CHARACTERS) return false
  return parse(sdp).media.some(
    (line) => (isOpen(line, 'plain') || isOpen(line, 'secure')) && codecsIn(line).length === 0,
  )
}

/** Returns the answer for the peer: the media server's audio line at the peer's index. */
export function answerTo(peer: PeerSdp, mediaServerSdp: string): string {
  const session = parse(mediaServerSdp)
  const { security } = peer
  const audio = session.media.find((line) => isUsable(line, security)) ?? session.media[0]
  const lines = peer.lines.map((line, i) =>
    i === peer.index && audio
      ? { ...reduced(audio, security), protocol: line.protocol }
      : { ...bare(line), port: 0 },
  )
  return write(session, lines)
}

/**
 * Returns our offer: the plain or the SRTP audio line of the media server's offer, with these
 * codecs in this order. Undefined when it has no such line.
 */
export function offerOf(
  mediaServerSdp: string,
  security: MediaSecurity,
  codecs: readonly Codec[] = CODECS,
): string | undefined {
  const session = parse(mediaServerSdp)
  const line = session.media.find((one) => isUsable(one, security))
  if (line === undefined) return undefined
  if (security === 'plain') return write(session, [withCodecs(reduced(line, security), codecs)])
  const keys = line.keys.filter(({ suite }) => suite === OFFERED_SUITE)
  if (keys.length === 0) return undefined
  return write(session, [withCodecs(withBothLaws(reduced({ ...line, keys }, security)), codecs)])
}

/**
 * Returns our current description as an offer, without the direction of a hold, which only the peer
 * asked for (RFC 6337 §5.3). Raises the version when the text changes (RFC 3264 §8).
 */
export function resumingOffer(localSdp: string): string {
  const offer = localSdp.replace(/^a=(?:sendonly|recvonly|inactive)\r?\n/gm, '')
  if (offer === localSdp) return localSdp
  return offer.replace(
    /^(o=\S+ \S+ )(\d+)/m,
    (_line, before: string, version: string) => before + String(BigInt(version) + 1n),
  )
}

/** True for an offer that takes its audio away: every audio line has port 0 (RFC 3264 §8.2). */
export function isWithoutAudio(offer: string): boolean {
  const audio = offer.match(/^m=audio \d+/gm) ?? []
  return audio.length > 0 && audio.every((line) => line === 'm=audio 0')
}

/** Returns the answer to an offer without audio: each line with port 0 (RFC 3264 §6). */
export function emptyAnswer(offer: string, localSdp: string): string {
  return write(
    parse(localSdp),
    parse(offer).media.map((line) => ({ ...bare(line), port: 0 })),
  )
}

/** Returns the description as inactive: its peer neither sends nor receives audio. */
export function silenced(sdp: string): string {
  return sdp
    .replace(/^a=(?:sendrecv|sendonly|recvonly|inactive)\r?\n/gm, '')
    .replace(/^(?=m=)/m, 'a=inactive\r\n')
}

/** Returns the codec order of an answer to a peer whose preferred codecs are `wished`. */
export function answerOrder(wished: readonly Codec[] | undefined): CodecOrder {
  const [first] = wished ?? []
  return first === undefined || G711.includes(first) ? 'g711-first' : 'peer'
}

/**
 * Returns an answer that accepts the plain audio line, else the SRTP one, as receive-only and
 * declines the other lines. An SRTP line needs a key of ours; nothing is ever encrypted with it.
 */
export function mutedAnswer(offer: string): string {
  const session = parse(offer)
  const isPlain = session.media.some((line) => isUsable(line, 'plain'))
  const security = isPlain ? 'plain' : 'secure'
  const chosen = session.media.find((line) => isUsable(line, security))
  const lines = session.media.map((line) =>
    line === chosen
      ? {
          ...withCodecs(reduced(withUnusedKey(line), security), G711),
          direction: 'recvonly' as const,
        }
      : { ...bare(line), port: 0 },
  )
  return write(session, lines)
}

/**
 * Returns a placeholder offer of SRTP audio. FreeSWITCH accepts keys only in the first description
 * of a channel. Nothing is sent to the offer's address or encrypted with its key.
 */
export function secureOfferOfNobody(): string {
  return [
    ...['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'],
    ...['m=audio 9 RTP/SAVP 0 8 101', 'a=rtpmap:0 PCMU/8000', 'a=rtpmap:8 PCMA/8000'],
    ...['a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-15'],
    ...[`a=crypto:1 ${OFFERED_SUITE} inline:${newMasterKey(OFFERED_SUITE)}`, ''],
  ].join('\r\n')
}

/**
 * True for a reduced SDP that no media server has a reason to refuse: plain RTP over IPv4 with
 * G.711 among its codecs.
 */
export function isOrdinaryAudio(audio: string): boolean {
  const addresses = [...audio.matchAll(/^c=(.*?)\r?$/gm)].map(([, text = '']) => text)
  const [, port, ptime = '20'] =
    /^m=audio (\d+) RTP\/AVP (?=(?:\d+ )*[08]\b)(?:[^]*^a=ptime:(\d+))?/m.exec(audio) ?? []
  return (
    addresses.length > 0 &&
    addresses.every((text) => text.startsWith('IN IP4 ') && isIPv4(text.slice(7))) &&
    Number(port) < 65_536 &&
    ['10', '20', '30', '40', '60'].includes(ptime)
  )
}

/** True when the first codec of a reduced SDP, which is the chosen one in an answer, is G.711. */
export function isG711(audio: string): boolean {
  return /^m=audio \d+ \S+ [08]\b/m.test(audio)
}

/** True when the SDP's plain audio line takes telephone events (RFC 4733). */
export function takesTelephoneEvents(audio: string): boolean {
  return /^a=rtpmap:\d+ telephone-event\/(?:8000|48000)\b/im.test(audio)
}

/** True when both SDPs differ at most in their version numbers: such an offer changes nothing. */
export function isSameSdp(first: string, second: string): boolean {
  const withoutOrigin = (sdp: string) => sdp.replace(/^o=.*$/m, '').trim()
  return withoutOrigin(first) === withoutOrigin(second)
}

/** A media line with its usable keys; sdp-transform drops parts of an `a=crypto`. */
type KeyedLine = MediaDescription & { readonly keys: readonly CryptoAttribute[] }

function parse(sdp: string): Omit<SessionDescription, 'media' | 'origin'> & {
  readonly origin: SessionDescription['origin']
  readonly media: readonly KeyedLine[]
} {
  const session = sdpTransform.parse(sdp)
  const keys = readCryptoLines(sdp)
  return {
    ...session,
    media: session.media.map((line, index) => ({ ...line, keys: keys[index] ?? [] })),
  }
}

function isUsable(line: KeyedLine, security: MediaSecurity): boolean {
  return isOpen(line, security) && codecsIn(line).length > 0
}

/** True for an active audio line of that kind, with any codecs. */
function isOpen(line: KeyedLine, security: MediaSecurity): boolean {
  return (
    line.type === 'audio' &&
    line.port !== 0 &&
    (security === 'secure' ? isSecure(line) : PLAIN_RTP.includes(line.protocol))
  )
}

function isSecure({ protocol, keys }: KeyedLine): boolean {
  return SECURE_RTP.includes(protocol) && keys.length > 0
}

/** Returns the line with the first key whose suite we offer, replaced by a fresh unused key. */
function withUnusedKey(line: KeyedLine): KeyedLine {
  const key = line.keys.find(({ suite }) => suite === OFFERED_SUITE) ?? line.keys[0]
  return { ...line, keys: key === undefined ? [] : [{ ...key, key: newMasterKey(key.suite) }] }
}

/** Returns the line with only what we support. */
function reduced(line: KeyedLine, security: MediaSecurity): MediaDescription {
  const { payloads, rtp, fmtp } = withOurCodecs(line)
  const ptime = ptimeOf(line)
  return {
    type: 'audio',
    port: line.port,
    protocol: security === 'secure' ? 'RTP/SAVP' : 'RTP/AVP',
    ...(payloads !== undefined && { payloads }),
    rtp,
    fmtp,
    ...(line.connection && { connection: line.connection }),
    ...(line.direction && { direction: line.direction }),
    ...(ptime !== undefined && { ptime }),
    ...(security === 'secure' && { crypto: line.keys.map(cryptoOf) }),
  }
}

function cryptoOf({
  tag,
  suite,
  key,
}: CryptoAttribute): NonNullable<MediaDescription['crypto']>[0] {
  return { id: tag, suite, config: `inline:${key}` }
}

function bare(line: MediaDescription): MediaDescription {
  return {
    type: line.type,
    port: line.port,
    protocol: line.protocol,
    ...(line.payloads !== undefined && { payloads: line.payloads }),
    rtp: [],
    fmtp: [],
  }
}

/**
 * Returns an origin that every parser can read (RFC 8866 §5.2); sdp-transform accepts any text. FreeSWITCH
 * refuses a re-INVITE whose origin it cannot read, and then does not answer the channel's next one.
 */
function readableOrigin({
  sessionId = '1',
  sessionVersion = 1,
  address = '',
}: Partial<SessionDescription['origin']> = {}): SessionDescription['origin'] {
  const family = isIP(address)
  return {
    username: '-',
    sessionId: shortNumber(sessionId),
    sessionVersion: Number(shortNumber(sessionVersion)),
    netType: 'IN',
    ipVer: family === 6 ? 6 : 4,
    address: family === 0 ? '127.0.0.1' : address,
  }
}

/** Returns the last 15 digits at most, which fit into any parser's integer. */
function shortNumber(digits: string | number): string {
  return /\d{1,15}$/.exec(String(digits))?.[0] ?? '1'
}

function write(
  session: Partial<Pick<SessionDescription, 'origin' | 'connection' | 'direction'>>,
  media: MediaDescription[],
): string {
  const { origin, connection, direction } = session
  return sdpTransform.write({
    version: 0,
    origin: readableOrigin(origin),
    name: '-',
    timing: { start: 0, stop: 0 },
    media,
    ...(connection && { connection }),
    ...(direction && { direction }),
  })
}

/** Warning headers of a 488 (RFC 3261 §20.43): 304 for the media type, 305 for the format. */

export const NO_USABLE_AUDIO = '304 trunkline "no usable audio in the offer"'
export const NO_COMMON_CODEC =
  '305 trunkline "no codec in the offer that the media servers speak: all of them speak PCMU and PCMA"'

/** Returns the Warning for an offer that `audioOf` cannot use. */
export function offerWarning(offer: string): string {
  return lacksCodec(offer) ? NO_COMMON_CODEC : NO_USABLE_AUDIO
}
