/**
 * The `a=crypto` attribute of SDP (RFC 4568): a suite and one master key with its salt. An attribute
 * that asks for something we do not do is unusable as a whole, as §6.3 wants; it is no fault of the
 * description, which may have another one.
 */
import { randomBytes } from 'node:crypto'

/** The SRTP suites that every SDES implementation has (RFC 4568 §6.2). */
export type SrtpSuite = 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32'

export interface CryptoAttribute {
  /** The number that an answer repeats to say which attribute of the offer it accepts. */
  readonly tag: number
  readonly suite: SrtpSuite
  /** The master key and the master salt, 30 bytes in base64. A secret: never logged. */
  readonly key: string
}

/** The bytes of a master key (16) and its salt (14). */
export const MASTER_BYTES = 30
const SUITES: ReadonlySet<string> = new Set<SrtpSuite>([
  'AES_CM_128_HMAC_SHA1_80',
  'AES_CM_128_HMAC_SHA1_32',
])
const MAX_CHARACTERS = 512
/** The number of packets that one key may protect: 2^48 (RFC 3711 §9.2). */
const MAX_LIFETIME = 2 ** 48
const MIN_WINDOW = 64

const ATTRIBUTE =
  /^(\d{1,9})[ \t]+([A-Za-z0-9_]+)[ \t]+inline:([A-Za-z0-9+/]{40})(?:\|(2\^\d{1,2}|\d{1,15}))?((?:[ \t]+\S+)*)[ \t]*$/i

/**
 * Reads the value of `a=crypto:`; undefined when it is unusable: another suite, several keys, a
 * master key identifier (its packets would carry one), or a session parameter that we do not know.
 */
export function readCryptoAttribute(value: string): CryptoAttribute | undefined {
  if (value.length > MAX_CHARACTERS) return undefined
  const [, tag, suiteText = '', key = '', lifetime, parameters = ''] = ATTRIBUTE.exec(value) ?? []
  const suite = suiteText.toUpperCase()
  if (tag === undefined || !isSuite(suite) || !isLifetime(lifetime)) return undefined
  const isUsable = parameters.split(/[ \t]+/).every((one) => one === '' || isHarmless(one))
  return isUsable ? { tag: Number(tag), suite, key } : undefined
}

/** Writes the value of `a=crypto:`. Without a lifetime, the longest one counts (RFC 4568 §6.1). */
export function writeCryptoAttribute({ tag, suite, key }: CryptoAttribute): string {
  return `${tag} ${suite} inline:${key}`
}

/** Makes a master key with its salt, from the system's random source (RFC 4568 §7.1.1). */
export function newMasterKey(): string {
  return randomBytes(MASTER_BYTES).toString('base64')
}

/** The usable attributes of each media line of a description, in their order. */
export function readCryptoLines(sdp: string): readonly (readonly CryptoAttribute[])[] {
  const media: CryptoAttribute[][] = []
  for (const line of sdp.split(/\r\n|\n|\r/)) {
    if (line.startsWith('m=')) media.push([])
    const attribute = /^a=crypto:/i.test(line)
      ? readCryptoAttribute(line.slice(9).trim())
      : undefined
    if (attribute !== undefined) media.at(-1)?.push(attribute)
  }
  return media
}

function isSuite(text: string): text is SrtpSuite {
  return SUITES.has(text)
}

function isLifetime(text: string | undefined): boolean {
  if (text === undefined) return true
  const packets = text.startsWith('2^') ? 2 ** Number(text.slice(2)) : Number(text)
  return packets >= 1 && packets <= MAX_LIFETIME
}

/**
 * True for a session parameter that changes nothing for us: the size of the peer's replay window, or
 * one that the peer marked as not required (RFC 4568 §6.3.7).
 */
function isHarmless(parameter: string): boolean {
  if (parameter.startsWith('-')) return true
  const size = /^WSH=(\d{1,5})$/i.exec(parameter)?.[1]
  return size !== undefined && Number(size) >= MIN_WINDOW
}
