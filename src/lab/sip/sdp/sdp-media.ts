/**
 * Parses the part of a session description (RFC 8866) that an audio party needs, in one pass with
 * limits, since the text is untrusted.
 */
import { isIP } from 'node:net'
import {
  type CryptoAttribute,
  readCryptoAttribute,
} from '../../../platform/sdes/crypto-attribute.js'

export type SdpDirection = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

export interface SdpMediaLine {
  readonly kind: string
  readonly port: number
  readonly protocol: string
  /** The payload types in the order of preference, without duplicates. */
  readonly formats: readonly string[]
  /**
   * The encodings by payload type, in lower case, such as `telephone-event/8000`; the first mapping
   * of a type counts.
   */
  readonly encodings: ReadonlyMap<string, string>
  /** The packet length that the describing party requests, ms (RFC 8866 §6.4). */
  readonly ptimeMs: number | undefined
  /** The direction from the describing party's side; from the media line, else from the session. */
  readonly direction: SdpDirection
  readonly address: string
  /** The usable SDES keys, in the order of preference. */
  readonly crypto: readonly CryptoAttribute[]
  /** True when the line has an `a=crypto`, usable or not. */
  readonly hasCrypto: boolean
}

/**
 * Maximum length of a description, characters. A description over this or another limit is refused
 * as a whole.
 */
const MAX_CHARACTERS = 65_536
const MAX_LINES = 4_000
const MAX_MEDIA_LINES = 64
const MAX_FORMATS = 256
/** Maximum number of `a=crypto` parsed per media line, more than there are suites. */
const MAX_CRYPTO = 32

interface MediaDraft {
  kind: string
  port: number
  protocol: string
  formats: string[]
  encodings: Map<string, string>
  ptimeMs: number | undefined
  direction: SdpDirection | undefined
  address: string | undefined
  crypto: CryptoAttribute[]
  hasCrypto: boolean
}

interface SessionDraft {
  direction: SdpDirection | undefined
  address: string | undefined
  readonly media: MediaDraft[]
}

/** Returns the media lines in their order; undefined when the text is invalid or over a limit. */
export function readMediaLines(sdp: string): readonly SdpMediaLine[] | undefined {
  if (sdp.length > MAX_CHARACTERS || !sdp.startsWith('v=0')) return undefined
  const lines = sdp.split(/\r\n|\n|\r/)
  if (lines.length > MAX_LINES) return undefined
  const session: SessionDraft = { direction: undefined, address: undefined, media: [] }
  for (const line of lines) {
    if (!readLine(session, line)) return undefined
  }
  return session.media.map((media) => ({
    ...media,
    direction: media.direction ?? session.direction ?? 'sendrecv',
    address: media.address ?? session.address ?? '',
  }))
}

/** Parses a line; false when the description must be refused. */
function readLine(session: SessionDraft, line: string): boolean {
  const value = line.slice(2).trim()
  const media = session.media.at(-1)
  switch (line.slice(0, 2)) {
    case 'm=':
      return session.media.length < MAX_MEDIA_LINES && readMedia(session, value)
    case 'c=':
      ;(media ?? session).address = addressOf(value)
      return true
    case 'a=':
      readAttribute(session, media, value)
      return true
    default:
      return true
  }
}

function readMedia(session: SessionDraft, value: string): boolean {
  const [kind = '', portText = '', protocol = '', ...formats] = value.split(/ +/)
  // RFC 8866 §5.14: `port/count` for layered streams; only the first port matters here.
  const port = Number(/^(\d{1,5})(?:\/\d{1,5})?$/.exec(portText)?.[1] ?? Number.NaN)
  if (!(port <= 65_535) || protocol === '' || formats.length > MAX_FORMATS) return false
  session.media.push({
    kind,
    port,
    protocol,
    formats: [...new Set(formats)],
    encodings: new Map(),
    ptimeMs: undefined,
    direction: undefined,
    address: undefined,
    crypto: [],
    hasCrypto: false,
  })
  return true
}

/**
 * Parses the address of `IN IP4 192.0.2.1/127`, without a TTL; empty for a name or an invalid
 * address.
 */
function addressOf(value: string): string {
  const address = value.split(/ +/)[2]?.split('/')[0] ?? ''
  return isIP(address) === 0 ? '' : address
}

function readAttribute(session: SessionDraft, media: MediaDraft | undefined, value: string): void {
  if (isDirection(value)) {
    ;(media ?? session).direction = value
    return
  }
  if (media !== undefined && value.startsWith('crypto:')) {
    readCrypto(media, value.slice('crypto:'.length))
    return
  }
  if (media !== undefined) readMediaAttribute(media, value)
}

function readMediaAttribute(media: MediaDraft, value: string): void {
  const ptime = /^ptime:(\d{1,3})$/.exec(value)?.[1]
  if (ptime !== undefined) media.ptimeMs = Number(ptime)
  const mapping = /^rtpmap:(\d{1,3}) +([^ /]{1,64}\/\d{1,6})/.exec(value)
  const [, type, encoding] = mapping ?? []
  if (type === undefined || encoding === undefined) return
  if (media.encodings.has(type) || media.encodings.size >= MAX_FORMATS) return
  media.encodings.set(type, encoding.toLowerCase())
}

function readCrypto(media: MediaDraft, value: string): void {
  media.hasCrypto = true
  const attribute = media.crypto.length < MAX_CRYPTO ? readCryptoAttribute(value) : undefined
  if (attribute !== undefined) media.crypto.push(attribute)
}

function isDirection(value: string): value is SdpDirection {
  return (
    value === 'sendrecv' || value === 'sendonly' || value === 'recvonly' || value === 'inactive'
  )
}
