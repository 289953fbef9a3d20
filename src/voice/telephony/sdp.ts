/**
 * Reduces SDP between a peer and the media server to one audio line: plain RTP, G.711 and telephone
 * events. The media server never sees a peer's video, keys or candidates, and the peer's other lines
 * are declined in the answer, in their places (RFC 3264 §6).
 */
import sdpTransform, { type MediaDescription, type SessionDescription } from 'sdp-transform'

/** The longest SDP that is read. No telephone sends one as long; a longer one is an attack. */
const MAX_SDP_CHARACTERS = 16_384
const MAX_LINES = 32
const STATIC_PAYLOADS: Readonly<Record<string, string>> = { 0: 'PCMU', 8: 'PCMA' }
const CODECS = ['PCMU', 'PCMA', 'TELEPHONE-EVENT']
const PLAIN_RTP = ['RTP/AVP', 'RTP/AVPF']

export interface PeerSdp {
  /** The SDP for the media server. */
  readonly audio: string
  /** The peer's media lines, and the index of the audio line. */
  readonly lines: readonly MediaDescription[]
  readonly index: number
}

/**
 * Reads the peer's SDP. Undefined when it has no usable audio line, which is answered with 488 (RFC
 * 3261 §21.4.26).
 */
export function audioOf(sdp: string): PeerSdp | undefined {
  if (sdp.length > MAX_SDP_CHARACTERS) return undefined
  const session: Partial<SessionDescription> & Pick<SessionDescription, 'media'> =
    sdpTransform.parse(sdp)
  const { origin } = session
  if (origin === undefined || session.media.length > MAX_LINES) return undefined
  const index = session.media.findIndex(isUsable)
  const line = session.media[index]
  if (!line) return undefined
  return { audio: write({ ...session, origin }, [plain(line)]), lines: session.media, index }
}

/** The answer for the peer: the media server's audio line at the peer's index. */
export function answerTo(peer: PeerSdp, mediaServerSdp: string): string {
  const session = sdpTransform.parse(mediaServerSdp)
  const audio = session.media.find(isUsable) ?? session.media[0]
  const lines = peer.lines.map((line, i) =>
    i === peer.index && audio
      ? { ...plain(audio), protocol: line.protocol }
      : { ...bare(line), port: 0 },
  )
  return write(session, lines)
}

/** Our offer: the plain audio line of the media server's offer, with these codecs in their order. */
export function offerOf(mediaServerSdp: string, codecs: readonly string[] = CODECS): string {
  const session = sdpTransform.parse(mediaServerSdp)
  const line = session.media.find(isUsable)
  return line ? write(session, [inOrder(plain(line), codecs)]) : mediaServerSdp
}

/** The line with these codecs alone, the first one preferred (RFC 3264 §5.1), and telephone events. */
function inOrder(line: MediaDescription, codecs: readonly string[]): MediaDescription {
  const ranked = payloadsOf(line)
    .map((payload) => {
      const codec = codecOf(line, payload)
      return {
        payload,
        rank: codec in { PCMU: 1, PCMA: 1 } ? codecs.indexOf(codec) : CODECS.length,
      }
    })
    .filter(({ rank }) => rank >= 0)
  // An offer without a codec would be no offer: the media server's own choice stands.
  if (ranked.every(({ rank }) => rank === CODECS.length)) return line
  const payloads = ranked.toSorted((a, b) => a.rank - b.rank).map(({ payload }) => payload)
  const isKept = (entry: { payload: number }) => payloads.includes(String(entry.payload))
  return {
    ...line,
    payloads: payloads.join(' '),
    rtp: line.rtp.filter(isKept),
    fmtp: line.fmtp.filter(isKept),
  }
}

/** An answer that takes the plain audio line as receive-only and declines the other lines. */
export function mutedAnswer(offer: string): string {
  const session = sdpTransform.parse(offer)
  const chosen = session.media.find(isUsable)
  const lines = session.media.map((line) =>
    line === chosen
      ? { ...plain(line), direction: 'recvonly' as const }
      : { ...bare(line), port: 0 },
  )
  return write(session, lines)
}

/** True when the SDP's plain audio line takes telephone events (RFC 4733). */
export function takesTelephoneEvents(audio: string): boolean {
  return /^a=rtpmap:\d+ telephone-event\/8000/im.test(audio)
}

/** True when both SDPs differ in their version numbers only: such an offer changes nothing. */
export function isSameSdp(first: string, second: string): boolean {
  const withoutOrigin = (sdp: string) => sdp.replace(/^o=.*$/m, '').trim()
  return withoutOrigin(first) === withoutOrigin(second)
}

function isUsable(line: MediaDescription): boolean {
  return (
    line.type === 'audio' &&
    line.port !== 0 &&
    PLAIN_RTP.includes(line.protocol) &&
    payloadsOf(line).some((payload) => codecOf(line, payload) in { PCMU: 1, PCMA: 1 })
  )
}

function payloadsOf(line: MediaDescription): string[] {
  // sdp-transform returns a single payload as a number, against its types.
  return [line.payloads ?? '']
    .join('')
    .split(' ')
    .filter((payload) => payload !== '')
}

function codecOf(line: MediaDescription, payload: string): string {
  const map = line.rtp.find((rtp) => String(rtp.payload) === payload)
  if (!map) return STATIC_PAYLOADS[payload] ?? ''
  return (map.rate ?? 8000) === 8000 ? map.codec.toUpperCase() : ''
}

function plain(line: MediaDescription): MediaDescription {
  const payloads = payloadsOf(line).filter((payload) => CODECS.includes(codecOf(line, payload)))
  const isKept = (entry: { payload: number }) => payloads.includes(String(entry.payload))
  return {
    type: 'audio',
    port: line.port,
    protocol: 'RTP/AVP',
    payloads: payloads.join(' '),
    rtp: line.rtp.filter(isKept),
    fmtp: line.fmtp.filter(isKept),
    ...(line.connection && { connection: line.connection }),
    ...(line.direction && { direction: line.direction }),
    ...(line.ptime !== undefined && { ptime: line.ptime }),
  }
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

function write(
  session: Pick<SessionDescription, 'origin' | 'connection' | 'direction'>,
  media: MediaDescription[],
): string {
  const { origin, connection, direction } = session
  return sdpTransform.write({
    version: 0,
    origin,
    name: '-',
    timing: { start: 0, stop: 0 },
    media,
    ...(connection && { connection }),
    ...(direction && { direction }),
  })
}
