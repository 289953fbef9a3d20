/** The codecs of a media line of SDP: which of them we speak, in which order, in packets how long. Pure. */
import type { MediaDescription } from 'sdp-transform'
import { type Codec, G711 } from './codecs.js'

/**
 * The types that mean these codecs, with or without a mapping (RFC 3551 §6), and as which alone media
 * servers speak them.
 */
const STATIC_PAYLOADS: Readonly<Record<string, Codec>> = { 0: 'PCMU', 8: 'PCMA', 9: 'G722' }
const LAWS = Object.entries(STATIC_PAYLOADS).filter(([, codec]) => G711.includes(codec))
/** G.722 has a clock of 8 kHz in RTP, though it samples at 16 (RFC 3551 §4.5.2); Opus RFC 7587 §7. */
const AUDIO_NAMES: Readonly<Record<string, Codec>> = {
  'PCMU/8000': 'PCMU',
  'PCMA/8000': 'PCMA',
  'G722/8000': 'G722',
  'OPUS/48000/2': 'OPUS',
}
/** The events have the clock of the audio that they are among (RFC 4733 §2.1). */
const EVENTS = 'TELEPHONE-EVENT/8000'
const OPUS_EVENTS = 'TELEPHONE-EVENT/48000'
const USUAL_PTIME_MS = 20
const PTIME_STEP_MS = 10

/** Our codecs in the line, in its order. */
export function codecsIn(line: MediaDescription): readonly Codec[] {
  return [...new Set(payloadsOf(line).flatMap((payload) => audioCodecOf(line, payload) ?? []))]
}

/** These codecs, those of G.711 first. */
export function g711First(codecs: readonly Codec[]): readonly Codec[] {
  const laws = codecs.filter((codec) => G711.includes(codec))
  return [...laws, ...codecs.filter((codec) => !laws.includes(codec))]
}

/** The line with these codecs alone, the first one preferred (RFC 3264 §5.1), and telephone events. */
export function withCodecs(line: MediaDescription, codecs: readonly Codec[]): MediaDescription {
  const offered = codecsIn(line)
  const wanted = codecs.filter((codec) => offered.includes(codec))
  // An offer without a codec would be no offer: the media server's own choice stands.
  if (wanted.length === 0) return line
  const payloads = payloadsOf(line)
  const isOf = (codec: Codec) => (payload: string) => audioCodecOf(line, payload) === codec
  return withPayloads(line, [
    ...wanted.flatMap((codec) => payloads.filter(isOf(codec))),
    ...payloads.filter((payload) => isEvents(line, payload, wanted)),
  ])
}

/** The line with our codecs and telephone events alone, in its own order. */
export function withOurCodecs<Line extends MediaDescription>(line: Line): Line {
  const codecs = codecsIn(line)
  const isOurs = (payload: string) =>
    audioCodecOf(line, payload) !== undefined || isEvents(line, payload, codecs)
  return withPayloads(line, payloadsOf(line).filter(isOurs))
}

/** The line with both laws of G.711: FreeSWITCH has answered nobody's offer with one, and speaks both. */
export function withBothLaws(line: MediaDescription): MediaDescription {
  const others = line.rtp.filter(({ payload }) => !(String(payload) in STATIC_PAYLOADS))
  const laws = LAWS.map(([payload, codec]) => ({ payload: Number(payload), codec, rate: 8000 }))
  const rtp = [...laws, ...others]
  return { ...line, rtp, payloads: rtp.map(({ payload }) => String(payload)).join(' ') }
}

/**
 * The length of the packets that the peer is sent. FreeSWITCH obeys `a=ptime` and not `a=maxptime` (RFC
 * 8866 §6.4), and sends 20 ms without either.
 */
export function ptimeOf({ ptime, maxptime }: MediaDescription): number | undefined {
  if (maxptime === undefined || !(maxptime > 0) || (ptime ?? USUAL_PTIME_MS) <= maxptime)
    return ptime
  return Math.max(PTIME_STEP_MS, maxptime - (maxptime % PTIME_STEP_MS))
}

/** The line with these payload types alone, in this order. */
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
  // sdp-transform returns a single payload as a number, against its types.
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

/** True for a payload type of telephone events beside these codecs. */
function isEvents(line: MediaDescription, payload: string, codecs: readonly Codec[]): boolean {
  const encoding = encodingOf(line, payload)
  return encoding === EVENTS || (encoding === OPUS_EVENTS && codecs.includes('OPUS'))
}

/** What a payload type is mapped to, such as `OPUS/48000/2`. */
function encodingOf(line: MediaDescription, payload: string): string | undefined {
  const map = line.rtp.find((rtp) => String(rtp.payload) === payload)
  if (map === undefined) return undefined
  const channels = String(map.encoding ?? 1)
  return `${upperName(map.codec)}/${String(map.rate ?? 8000)}${channels === '1' ? '' : `/${channels}`}`
}

/** The package makes a number of a name of digits. */
function upperName(name: string | number): string {
  return String(name).toUpperCase()
}
