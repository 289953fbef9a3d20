/** The codecs and packet times of an SDP media line. Pure. */
import type { MediaDescription } from 'sdp-transform'
import { type Codec, G711 } from './codecs.js'

/**
 * Static payload types (RFC 3551 §6): valid without an rtpmap. Media servers speak these codecs
 * only under these numbers.
 */
const STATIC_PAYLOADS: Readonly<Record<string, Codec>> = { 0: 'PCMU', 8: 'PCMA', 9: 'G722' }
const LAWS = Object.entries(STATIC_PAYLOADS).filter(([, codec]) => G711.includes(codec))
/**
 * Codecs by rtpmap. G.722 has a clock of 8 kHz in RTP though it samples at 16 kHz (RFC 3551
 * §4.5.2); for Opus see RFC 7587 §7.
 */
const AUDIO_NAMES: Readonly<Record<string, Codec>> = {
  'PCMU/8000': 'PCMU',
  'PCMA/8000': 'PCMA',
  'G722/8000': 'G722',
  'OPUS/48000/2': 'OPUS',
}
/** Telephone events use the clock rate of the audio beside them (RFC 4733 §2.1). */
const EVENTS = 'TELEPHONE-EVENT/8000'
const OPUS_EVENTS = 'TELEPHONE-EVENT/48000'
const USUAL_PTIME_MS = 20
const PTIME_STEP_MS = 10

/** Returns our codecs in the line, in its order. */
export function codecsIn(line: MediaDescription): readonly Codec[] {
  return [...new Set(payloadsOf(line).flatMap((payload) => audioCodecOf(line, payload) ?? []))]
}

/** Returns the codecs with those of G.711 first. */
export function g711First(codecs: readonly Codec[]): readonly Codec[] {
  const laws = codecs.filter((codec) => G711.includes(codec))
  return [...laws, ...codecs.filter((codec) => !laws.includes(codec))]
}

/** Returns the line with only these codecs, preferred first (RFC 3264 §5.1), and telephone events. */
export function withCodecs(line: MediaDescription, codecs: readonly Codec[]): MediaDescription {
  const offered = codecsIn(line)
  const wanted = codecs.filter((codec) => offered.includes(codec))
  // An offer needs a codec, so the media server's own choice stays.
  if (wanted.length === 0) return line
  const payloads = payloadsOf(line)
  const isOf = (codec: Codec) => (payload: string) => audioCodecOf(line, payload) === codec
  return withPayloads(line, [
    ...wanted.flatMap((codec) => payloads.filter(isOf(codec))),
    ...payloads.filter((payload) => isEvents(line, payload, wanted)),
  ])
}

/** Returns the line with only our codecs and telephone events, in its own order. */
export function withOurCodecs<Line extends MediaDescription>(line: Line): Line {
  const codecs = codecsIn(line)
  const isOurs = (payload: string) =>
    audioCodecOf(line, payload) !== undefined || isEvents(line, payload, codecs)
  return withPayloads(line, payloadsOf(line).filter(isOurs))
}

/**
 * Returns the line with both G.711 codecs. FreeSWITCH answers the placeholder offer with only one of them,
 * but speaks both.
 */
export function withBothLaws(line: MediaDescription): MediaDescription {
  const others = line.rtp.filter(({ payload }) => !(String(payload) in STATIC_PAYLOADS))
  const laws = LAWS.map(([payload, codec]) => ({ payload: Number(payload), codec, rate: 8000 }))
  const rtp = [...laws, ...others]
  return { ...line, rtp, payloads: rtp.map(({ payload }) => String(payload)).join(' ') }
}

/**
 * Returns the packet time to send to the peer, ms. FreeSWITCH obeys `a=ptime` but not `a=maxptime`
 * (RFC 8866 §6.4), and sends 20 ms without either.
 */
export function ptimeOf({ ptime, maxptime }: MediaDescription): number | undefined {
  if (maxptime === undefined || !(maxptime > 0) || (ptime ?? USUAL_PTIME_MS) <= maxptime)
    return ptime
  return Math.max(PTIME_STEP_MS, maxptime - (maxptime % PTIME_STEP_MS))
}

/** Returns the line with only these payload types, in this order. */
function withPayloads<Line extends MediaDescription>(
  line: Line,
  payloads: readonly string[],
): Line {
  const isKept = (entry: { payload: number }) => payloads.includes(String(entry.payload))
  return {
    ...line,
    payloads: payloads.join(' '),
    rtp: line.rtp.filter(isKept),
    fmtp: line.fmtp.filter(isKept),
  }
}

function payloadsOf(line: MediaDescription): string[] {
  // sdp-transform returns a single payload type as a number, contrary to its types.
  return [line.payloads ?? '']
    .join('')
    .split(' ')
    .filter((payload) => payload !== '')
}

function audioCodecOf(line: MediaDescription, payload: string): Codec | undefined {
  const encoding = encodingOf(line, payload)
  const fixed = STATIC_PAYLOADS[payload]
  if (encoding === undefined) return fixed
  const codec = AUDIO_NAMES[encoding]
  return codec === 'OPUS' || codec === fixed ? codec : undefined
}

/** True for a payload type of telephone events whose clock fits these codecs. */
function isEvents(line: MediaDescription, payload: string, codecs: readonly Codec[]): boolean {
  const encoding = encodingOf(line, payload)
  return encoding === EVENTS || (encoding === OPUS_EVENTS && codecs.includes('OPUS'))
}

/** Returns the encoding of a payload type, such as `OPUS/48000/2`. */
function encodingOf(line: MediaDescription, payload: string): string | undefined {
  const map = line.rtp.find((rtp) => String(rtp.payload) === payload)
  if (map === undefined) return undefined
  const channels = String(map.encoding ?? 1)
  return `${upperName(map.codec)}/${String(map.rate ?? 8000)}${channels === '1' ? '' : `/${channels}`}`
}

/** sdp-transform returns a name of digits as a number. */
function upperName(name: string | number): string {
  return String(name).toUpperCase()
}
