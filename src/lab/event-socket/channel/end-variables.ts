import { RTP_HEADER_BYTES } from '../../media/codecs/rtp-packet.js'
import type { EndpointStats } from '../../media/model/media-endpoint.js'
import { q850 } from '../model/hangup-cause.js'
import { localTime, microseconds } from '../model/switch-facts.js'
import type { Progress } from './progress.js'
import type { ChannelVariables } from './variables.js'

/** The part of a channel that its end variables need. */
interface Ended {
  readonly progress: Progress
  readonly variables: ChannelVariables
}

/** Returns the variables that summarize a channel in its last events. */
export function endVariables({ progress, variables }: Ended): Record<string, string | undefined> {
  const { createdAt, answeredAt, progressMediaAt, bridgedAt, hungUpAt, cause } = progress
  const answered = answeredAt === 0 ? hungUpAt : answeredAt
  return {
    hangup_cause: cause,
    hangup_cause_q850: String(q850(cause ?? 'NORMAL_CLEARING')),
    digits_dialed: variables.get('digits_dialed') ?? 'none',
    ...stamp('start', createdAt),
    ...stamp('answer', answeredAt),
    ...stamp('progress_media', progressMediaAt),
    ...stamp('bridge', bridgedAt),
    ...stamp('end', hungUpAt),
    last_app: variables.get('current_application'),
    last_arg: variables.get('current_application_data'),
    duration: seconds(hungUpAt - createdAt),
    billsec: seconds(hungUpAt - answered),
    mduration: String(hungUpAt - createdAt),
    billmsec: String(hungUpAt - answered),
  }
}

/**
 * Returns RTP statistics under FreeSWITCH's names and in its units: the loss is a share of the received
 * packets, the jitter a variance in ms². Those with `lab_` are the lab's own.
 */
export function mediaStatsVariables(stats: EndpointStats): Record<string, string> {
  const { packetsReceived, packetsSent, packetsLost, jitterMs, digitPackets } = stats
  const lossRate = packetsLost / Math.max(1, packetsLost + packetsReceived)
  const variance = (jitterMs ** 2).toFixed(2)
  return {
    rtp_audio_in_raw_bytes: String(stats.bytesReceived),
    rtp_audio_in_media_bytes: String(stats.bytesReceived),
    rtp_audio_in_packet_count: String(packetsReceived),
    rtp_audio_in_media_packet_count: String(packetsReceived - digitPackets),
    rtp_audio_in_dtmf_packet_count: String(digitPackets),
    rtp_audio_in_skip_packet_count: String(packetsLost),
    rtp_audio_in_jitter_min_variance: variance,
    rtp_audio_in_jitter_max_variance: variance,
    rtp_audio_in_jitter_loss_rate: (packetsLost / Math.max(1, packetsReceived)).toFixed(4),
    rtp_audio_in_mean_interval: '20.00',
    rtp_audio_in_flaw_total: String(packetsLost),
    rtp_audio_in_quality_percentage: ((1 - lossRate) * 100).toFixed(2),
    rtp_audio_in_mos: (1 + 3.5 * (1 - lossRate)).toFixed(2),
    rtp_audio_out_raw_bytes: String(stats.bytesSent + packetsSent * RTP_HEADER_BYTES),
    rtp_audio_out_media_bytes: String(stats.bytesSent + packetsSent * RTP_HEADER_BYTES),
    rtp_audio_out_packet_count: String(packetsSent),
    rtp_audio_out_media_packet_count: String(packetsSent),
    lab_audio_in_largest_gap_ms: String(Math.round(stats.largestGapMs)),
    ...(stats.roundTripMs < 0
      ? {}
      : { lab_audio_rtcp_round_trip_ms: stats.roundTripMs.toFixed(1) }),
    ...(stats.unexpectedType < 0
      ? {}
      : { lab_audio_in_unexpected_pt: String(stats.unexpectedType) }),
    ...(stats.sourceAddress === ''
      ? {}
      : {
          remote_audio_ip: stats.sourceAddress,
          remote_audio_port: String(stats.sourcePort),
        }),
  }
}

function stamp(name: string, atMs: number): Record<string, string | undefined> {
  return {
    [`${name}_stamp`]: atMs === 0 ? undefined : localTime(new Date(atMs)),
    [`${name}_epoch`]: String(Math.floor(atMs / 1000)),
    [`${name}_uepoch`]: microseconds(atMs),
  }
}

function seconds(ms: number): string {
  return String(Math.round(ms / 1000))
}
