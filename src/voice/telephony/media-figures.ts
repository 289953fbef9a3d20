/** What a leg's audio was: reads FreeSWITCH's variables of a channel, and judges them. Pure. */

/** The audio of a leg, from its begin until now or until its end. */
export interface MediaFigures extends CountedMedia {
  /** True once the call had audio for the peer: a sound, another leg or a conference. */
  readonly hasAudioToSend: boolean
}

/** What the media server counted of a channel's audio. */
export interface CountedMedia {
  /** The media server, and the id of the leg's channel on it. */
  readonly server: string
  readonly channel: string
  /** How long the channel existed, ms. */
  readonly durationMs: number
  readonly codec: string | null
  /** The payload types of the audio and of telephone events. */
  readonly payloadType: number | null
  readonly eventPayloadType: number | null
  readonly isSecure: boolean
  readonly packetsReceived: number
  readonly packetsSent: number
  readonly bytesReceived: number
  readonly bytesSent: number
  readonly packetsLost: number
  /** The lost packets as a share of the expected ones, in percent. FreeSWITCH rounds it to one. */
  readonly lossPercent: number
  /** The lab: RFC 3550's jitter. FreeSWITCH: the standard deviation of the packets' spacing, ms. */
  readonly jitterMs: number
  /** The longest time without a packet of the peer, ms; null where the server does not measure it. */
  readonly largestGapMs: number | null
  /** The round trip by RTCP, ms; null without reports of the peer. */
  readonly roundTripMs: number | null
  /** Received packets of telephone events (RFC 4733); a key press has several. */
  readonly digitPackets: number
  /** The E-model's estimate for what we receive, 1 to 4.5; null when nothing was received. */
  readonly mos: number | null
  /** Our address. */
  readonly local: string | null
  /** The peer's address by its SDP. */
  readonly remote: string | null
  /** The address that the peer's packets came from, where the server tells it. */
  readonly source: string | null
  /** The payload type of a packet that nobody had offered; null without one. */
  readonly unexpectedPayloadType: number | null
}

/** Returns the value of a channel variable; undefined when it has none. */
export type Variable = (name: string) => string | undefined

/** A leg is judged only when its channel lasted this long, ms: a short one may have had no time to speak. */
const JUDGED_AFTER_MS = 2_000

export function mediaFiguresOf(
  variable: Variable,
  where: Pick<CountedMedia, 'server' | 'channel' | 'durationMs'>,
): CountedMedia {
  const number = (name: string) => numberIn(variable(name))
  const count = (name: string) => number(name) ?? 0
  const packetsReceived = count('rtp_audio_in_packet_count')
  // FreeSWITCH divides the lost packets by the received ones.
  const packetsLost = Math.round(packetsReceived * count('rtp_audio_in_jitter_loss_rate'))
  const lossPercent = rounded((100 * packetsLost) / Math.max(1, packetsLost + packetsReceived))
  const jitterMs = rounded(Math.sqrt(count('rtp_audio_in_jitter_max_variance')))
  const roundTripMs = number('lab_audio_rtcp_round_trip_ms')
  return {
    ...where,
    codec: variable('rtp_use_codec_name') ?? null,
    payloadType: number('rtp_use_pt'),
    eventPayloadType: number('rtp_2833_recv_payload'),
    isSecure: variable('rtp_has_crypto') !== undefined,
    packetsReceived,
    packetsSent: count('rtp_audio_out_packet_count'),
    bytesReceived: count('rtp_audio_in_raw_bytes'),
    bytesSent: count('rtp_audio_out_raw_bytes'),
    packetsLost,
    lossPercent,
    jitterMs,
    largestGapMs: number('lab_audio_in_largest_gap_ms'),
    roundTripMs,
    digitPackets: count('rtp_audio_in_dtmf_packet_count'),
    mos: packetsReceived === 0 ? null : estimateMos({ lossPercent, jitterMs, roundTripMs }),
    local: placeIn(variable('local_media_ip'), variable('local_media_port')),
    remote: placeIn(variable('remote_media_ip'), variable('remote_media_port')),
    source: placeIn(variable('remote_audio_ip'), variable('remote_audio_port')),
    unexpectedPayloadType: number('lab_audio_in_unexpected_pt'),
  }
}

/** Packet-loss robustness of G.711 with concealment (ITU-T G.113, Appendix I). */
const BPL = 25.1
/** The rating with every default value of G.107, in which only delay and loss differ here. */
const DEFAULT_RATING = 93.2
/** The delay of a packet of 20 ms and of the sender's and receiver's processing, ms. */
const FIXED_DELAY_MS = 40

/**
 * Estimates the mean opinion score by the E-model (ITU-T G.107): R = 93.2 − Id − Ie,eff. Codecs other than
 * G.711 are rated as G.711, losses as random.
 */
export function estimateMos(heard: {
  readonly lossPercent: number
  readonly jitterMs: number
  readonly roundTripMs: number | null
}): number {
  // A receiver buffers about twice the jitter.
  const delayMs = (heard.roundTripMs ?? 0) / 2 + 2 * heard.jitterMs + FIXED_DELAY_MS
  // Id, as Cole and Rosenbluth (2001) approximate G.107 §7.4.
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - 177.3)
  // G.107 §7.5: Ie,eff = Ie + (95 − Ie) · Ppl / (Ppl / BurstR + Bpl), with Ie = 0 and BurstR = 1.
  const lossImpairment = (95 * heard.lossPercent) / (heard.lossPercent + BPL)
  const rating = Math.min(100, Math.max(0, DEFAULT_RATING - delayImpairment - lossImpairment))
  // G.107 Annex B: MOS = 1 + 0.035 R + R (R − 60) (100 − R) 7·10⁻⁶.
  const mos = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6
  return rounded(Math.max(1, mos))
}

/** Returns what is wrong with the audio of an answered leg, in sentences. */
export function mediaFaultsOf(figures: MediaFigures): readonly string[] {
  const { packetsReceived, source, remote, unexpectedPayloadType } = figures
  const isMute = figures.packetsSent === 0 && figures.hasAudioToSend
  const faults: string[] = []
  if (figures.durationMs >= JUDGED_AFTER_MS) {
    const from = `from the other side (${remote ?? 'no address'})`
    if (packetsReceived === 0 && isMute)
      faults.push(`no audio: nothing was received ${from}, and nothing was sent to it`)
    else if (packetsReceived === 0) faults.push(`one-way audio: nothing was received ${from}`)
    else if (isMute) faults.push('one-way audio: nothing was sent to the other side')
  }
  if (source !== null && source !== remote)
    faults.push(`the audio came from ${source}, not from ${remote ?? 'an address'} of the SDP`)
  if (unexpectedPayloadType !== null)
    faults.push(`packets of payload type ${String(unexpectedPayloadType)}, never offered, came`)
  return faults
}

function numberIn(text: string | undefined): number | null {
  const value = Number.parseFloat(text ?? '')
  return Number.isFinite(value) ? value : null
}

function placeIn(address: string | undefined, port: string | undefined): string | null {
  if (address === undefined || port === undefined) return null
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
