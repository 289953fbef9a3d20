import { expect, it } from 'vitest'
import {
  estimateMos,
  mediaFaultsOf,
  mediaFiguresOf,
} from '../../../../src/voice/telephony/media-figures.js'

const WHERE = { server: 'media:8021', channel: 'c1', durationMs: 10_000 }

/** A channel of FreeSWITCH: 3 % of 500 packets were lost. */
const VARIABLES: Readonly<Record<string, string>> = {
  rtp_use_codec_name: 'PCMU',
  rtp_use_pt: '0',
  rtp_2833_recv_payload: '101',
  rtp_audio_in_packet_count: '485',
  rtp_audio_in_raw_bytes: '83420',
  rtp_audio_in_jitter_max_variance: '100.00',
  rtp_audio_in_jitter_loss_rate: '0.03',
  rtp_audio_out_packet_count: '500',
  rtp_audio_out_raw_bytes: '86000',
  local_media_ip: '192.0.2.1',
  local_media_port: '20000',
  remote_media_ip: '198.51.100.7',
  remote_media_port: '4000',
}

const figuresOf = (more: Readonly<Record<string, string>> = {}) => {
  const variables = { ...VARIABLES, ...more }
  return {
    ...mediaFiguresOf((name) => variables[name], WHERE),
    hasAudioToSend: !('silent' in variables),
  }
}

it("are read from a channel's variables", () => {
  expect(figuresOf()).toEqual({
    ...WHERE,
    codec: 'PCMU',
    payloadType: 0,
    eventPayloadType: 101,
    isSecure: false,
    packetsReceived: 485,
    packetsSent: 500,
    bytesReceived: 83_420,
    bytesSent: 86_000,
    packetsLost: 15,
    lossPercent: 3,
    jitterMs: 10,
    largestGapMs: null,
    roundTripMs: null,
    digitPackets: 0,
    mos: 4.08,
    local: '192.0.2.1:20000',
    remote: '198.51.100.7:4000',
    source: null,
    unexpectedPayloadType: null,
    hasAudioToSend: true,
  })
})

it.each([
  [{ lossPercent: 0, jitterMs: 0, roundTripMs: null }, 4.4],
  [{ lossPercent: 100, jitterMs: 0, roundTripMs: null }, 1.2],
  [{ lossPercent: 0, jitterMs: 0, roundTripMs: 800 }, 2.77],
])('rate %o by the E-model', (heard, mos) => {
  expect(Math.abs(estimateMos(heard) - mos)).toBeLessThan(0.2)
})

it.each([
  [{}, []],
  [{ rtp_audio_in_packet_count: '0' }, [/^one-way audio: nothing was received/]],
  [{ rtp_audio_out_packet_count: '0' }, [/^one-way audio: nothing was sent/]],
  [{ rtp_audio_in_packet_count: '0', rtp_audio_out_packet_count: '0' }, [/^no audio/]],
  [{ rtp_audio_out_packet_count: '0', silent: 'yes' }, []],
  [{ remote_audio_ip: '203.0.113.9', remote_audio_port: '4002' }, [/came from 203.0.113.9:4002/]],
  [{ lab_audio_in_unexpected_pt: '34' }, [/payload type 34/]],
])('with %o have these faults', (more, faults) => {
  const found = mediaFaultsOf(figuresOf(more))
  expect(found).toHaveLength(faults.length)
  for (const [at, fault] of faults.entries()) expect(found[at]).toMatch(fault)
})
