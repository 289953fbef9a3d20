/**
 * The `a=crypto` attribute of SDP (RFC 4568): a suite and one master key with its salt. An attribute
 * that asks for something we do not do is unusable as a whole, as §6.3 wants; it is no fault of the
 * description, which may have another one.
 */
import { randomBytes } from 'node:crypto'

/** The SRTP suites that every SDES implementation has (RFC 4568 §6.2), and those of AES-256 (RFC 6188 §4). */
export type SrtpSuite =
  | 'AES_CM_128_HMAC_SHA1_80'
  | 'AES_CM_128_HMAC_SHA1_32'
  | 'AES_256_CM_HMAC_SHA1_80'
  | 'AES_256_CM_HMAC_SHA1_32'

export interface CryptoAttribute {
  /** The number that an answer repeats to say which attribute of the offer it accepts. */
  readonly tag: number
  readonly suite: SrtpSuite
  /** The master key and the master salt in base64. A secret: never logged. */
  readonly key: string
}

/** The bytes of a master key (16 or 32) with its salt (14), in each suite. */
const MASTER_BYTES: Readonly<Record<SrtpSuite, number>> = {
  AES_CM_128_HMAC_SHA1_80: 30,
  AES_CM_128_HMAC_SHA1_32: 30,
  AES_256_CM_HMAC_SHA1_80: 46,
  AES_256_CM_HMAC_SHA1_32: 46,
}
const MAX_CHARACTERS = 512
/** The number of packets that one key may protect: 2^48 (RFC 3711 §9.2). */
const MAX_LIFETIME = 2 ** 48
const MIN_WINDOW = 64

const ATTRIBUTE =
  /^(\d{1,9})[ \t]+([A-Za-z0-9_]+)[ \t]+inline:([A-Za-z0-9+/]{40,62}={0,2})(?:\|(2\^\d{1,2}|\d{1,15}))?((?:[ \t]+\S+)*)[ \t]*$/i

/**
 * Reads the value of `a=crypto:`; undefined when it is unusable: another suite, several keys, a
 * master key identifier (its packets would carry one), or a session parameter that we do not know.
 */
export function readCryptoAttribute(value: string): CryptoAttribute | undefined {
  if (value.length > MAX_CHARACTERS) return undefined
  const [, tag, suiteText = '', key = '', lifetime, parameters = ''] = ATTRIBUTE.exec(value) ?? []
  const suite = suiteText.toUpperCase()
  if (tag === undefined || !isSuite(suite) || !isLifetime(lifetime)) return undefined
  const master = Buffer.from(key, 'base64')
  if (master.length !== MASTER_BYTES[suite]) return undefined
  const isUsable = parameters.split(/[ \t]+/).every((one) => one === '' || isHarmless(one))
  // Some leave out the padding of a key whose length needs it (RFC 4568 §6.1).
  return isUsable ? { tag: Number(tag), suite, key: master.toString('base64') } : undefined
}

/** Writes the value of `a=crypto:`. Without a lifetime, the longest one counts (RFC 4568 §6.1). */
export function writeCryptoAttribute({ tag, suite, key }: CryptoAttribute): string {
  return `${tag} ${suite} inline:${key}`
}

/** Makes a master key with its salt, from the system's random source (RFC 4568 §7.1.1). */
export function newMasterKey(suite: SrtpSuite): string {
  return randomBytes(MASTER_BYTES[suite]).toString('base64')
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
  return Object.hasOwn(MASTER_BYTES, text)
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
