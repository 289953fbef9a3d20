import { isIP } from 'node:net'
import { type AudioCodec, CODECS, PAYLOAD_TYPES } from '../../media/codecs/audio-codec.js'
import type { RemoteMedia } from '../../media/model/remote-media.js'
import type { SipHeader, SipRequest, SipResponse } from '../../sip/message/types.js'
import type { SipPeer } from '../../sip/model/stack-types.js'
import type { IncomingCall } from '../../sip/user-agent/user-agent-types.js'
import type { SwitchFacts } from '../model/switch-facts.js'

/** The caller and the called party, as reported by every event of the channel. */
export interface CallProfile {
  readonly channelName: string
  readonly callerName: string
  readonly callerNumber: string | undefined
  readonly networkAddress: string
  readonly destination: string
}

const ADDRESS = /<?sips?:(?:([^@>;]*)@)?(\[[^\]]*\]|[^;>?:]+)(?::(\d+))?/i

interface Address {
  readonly user: string | undefined
  readonly host: string
  readonly port: string | undefined
}

/** FreeSWITCH's names for our codecs in `show codec`, and the modules that provide them. */
export const CODEC_NAMES: Readonly<
  Record<AudioCodec, { readonly name: string; readonly module: string }>
> = {
  PCMU: { name: 'G.711 ulaw', module: 'CORE_PCM_MODULE' },
  PCMA: { name: 'G.711 alaw', module: 'CORE_PCM_MODULE' },
  G722: { name: 'G.722', module: 'mod_spandsp' },
}

export function headerValue(headers: readonly SipHeader[], name: string): string | undefined {
  const lower = name.toLowerCase()
  return headers.find((header) => header.name.toLowerCase() === lower)?.value
}

export function readProfile(call: IncomingCall, facts: SwitchFacts): CallProfile {
  const from = readAddress(headerValue(call.request.headers, 'From') ?? '')
  const name = /^\s*"?([^"<]*?)"?\s*</.exec(headerValue(call.request.headers, 'From') ?? '')?.[1]
  return {
    channelName: `sofia/${facts.profile}/${userAtHost(from)}`,
    callerName: name === undefined || name === '' ? (from.user ?? 'unknown') : name,
    callerNumber: from.user,
    networkAddress: call.from.address,
    destination: readAddress(call.request.uri).user ?? '',
  }
}

/**
 * Returns the source address of the far end's signalling, from the header X-Signalling-Source of the message
 * with the far end's description. Without that header, the application itself is the far end.
 */
export function signallingAddressOf(message: SipRequest | SipResponse, from: SipPeer): string {
  const named = headerValue(message.headers, 'X-Signalling-Source') ?? ''
  return isIP(named) === 0 ? from.address : named
}

/**
 * True when the application requests SRTP. drachtio-fsmrf sends this header; a real server's dialplan
 * translates it to `rtp_secure_media=mandatory`.
 */
export function wantsSecureMedia(request: SipRequest): boolean {
  return headerValue(request.headers, 'X-Secure-RTP') === 'true'
}

/** Returns the variables that describe the INVITE, in the order in which FreeSWITCH sets them. */
export function inviteVariables(
  call: IncomingCall,
  facts: SwitchFacts,
  at: { readonly uuid: string; readonly sessionId: number; readonly stamp: string },
): Record<string, string | undefined> {
  const { request } = call
  const profile = readProfile(call, facts)
  const from = readAddress(headerValue(request.headers, 'From') ?? '')
  const url = `sip:mod_sofia@${facts.sipAddress}`
  return {
    direction: 'inbound',
    uuid: at.uuid,
    session_id: String(at.sessionId),
    ...addressVariables('from', { ...from, user: from.user ?? 'nobody' }),
    video_media_flow: 'disabled',
    text_media_flow: 'disabled',
    channel_name: profile.channelName,
    sip_call_id: call.callId,
    sip_local_network_addr: facts.mediaAddress,
    sip_network_ip: call.from.address,
    sip_network_port: String(call.from.port),
    sip_invite_stamp: at.stamp,
    sip_received_ip: call.from.address,
    sip_received_port: String(call.from.port),
    sip_via_protocol: call.from.transport,
    sip_from_tag: /;tag=([^;]+)/.exec(headerValue(request.headers, 'From') ?? '')?.[1],
    sofia_profile_name: facts.profile,
    sofia_profile_url: url,
    recovery_profile_name: facts.profile,
    sip_full_via: headerValue(request.headers, 'Via'),
    sip_full_from: headerValue(request.headers, 'From'),
    sip_full_to: headerValue(request.headers, 'To'),
    ...addressVariables('req', readAddress(request.uri)),
    ...addressVariables('to', readAddress(headerValue(request.headers, 'To') ?? '')),
    ...contactVariables(request),
    sip_user_agent: headerValue(request.headers, 'User-Agent'),
    sip_via_host: call.from.address,
    sip_via_rport: String(call.from.port),
    sip_cseq: headerValue(request.headers, 'CSeq')?.split(' ')[0],
    max_forwards: headerValue(request.headers, 'Max-Forwards'),
    ...extensionHeaders(request),
    call_uuid: at.uuid,
  }
}

/** Returns the variables set by the offer/answer exchange. */
export function mediaVariables(
  local: { readonly address: string; readonly port: number; readonly sdp: string },
  remote: RemoteMedia | undefined,
  remoteSdp: string | undefined,
): Record<string, string | undefined> {
  const dtmf = String(remote?.dtmfPayloadType ?? 101)
  const flow = remote === undefined ? 'inactive' : remoteView(remote.direction)
  return {
    switch_r_sdp: remoteSdp,
    ...secureVariables(remote),
    ...codecVariables(remote),
    rtp_use_codec_string: CODECS.join(','),
    remote_video_media_flow: 'inactive',
    remote_text_media_flow: 'inactive',
    remote_audio_media_flow: flow,
    audio_media_flow: flow,
    dtmf_type: 'rfc2833',
    local_media_ip: local.address,
    local_media_port: String(local.port),
    advertised_media_ip: local.address,
    rtp_use_timer_name: 'soft',
    rtp_2833_send_payload: dtmf,
    rtp_2833_recv_payload: dtmf,
    remote_media_ip: remote?.address ?? local.address,
    remote_media_port: String(remote?.port ?? local.port),
    rtp_local_sdp_str: local.sdp,
  }
}

function codecVariables({
  codec = 'PCMU',
  ptimeMs = 20,
}: Partial<RemoteMedia> = {}): Record<string, string> {
  const payloadType = String(PAYLOAD_TYPES[codec])
  const ptime = String(ptimeMs)
  const { module } = CODEC_NAMES[codec]
  // The sample rate: 16 kHz for G.722, although its RTP clock rate is 8 kHz (RFC 3551 §4.5.2).
  const rate = codec === 'G722' ? '16000' : '8000'
  return {
    ep_codec_string: `${module}.${codec}@8000h@${ptime}i@64000b`,
    rtp_audio_recv_pt: payloadType,
    rtp_use_pt: payloadType,
    rtp_use_codec_name: codec,
    rtp_use_codec_rate: '8000',
    rtp_use_codec_ptime: ptime,
    rtp_use_codec_channels: '1',
    rtp_last_audio_codec_string: `${codec}@8000h@${ptime}i@1c`,
    read_codec: codec,
    original_read_codec: codec,
    read_rate: rate,
    original_read_rate: rate,
    write_codec: codec,
    write_rate: rate,
  }
}

function secureVariables({ srtp }: Partial<RemoteMedia> = {}): Record<string, string | undefined> {
  if (srtp === undefined) return {}
  return {
    rtp_has_crypto: srtp.suite,
    rtp_secure_media_negotiated: srtp.suite,
    rtp_secure_audio_confirmed: 'true',
  }
}

function remoteView(ours: RemoteMedia['direction']): string {
  if (ours === 'sendonly') return 'recvonly'
  return ours === 'recvonly' ? 'sendonly' : ours
}

function addressVariables(which: string, address: Address): Record<string, string | undefined> {
  return {
    [`sip_${which}_user`]: address.user,
    [`sip_${which}_port`]: address.port,
    [`sip_${which}_uri`]: userAtHost(address),
    [`sip_${which}_host`]: address.host,
  }
}

function contactVariables(request: SipRequest): Record<string, string | undefined> {
  const contact = headerValue(request.headers, 'Contact')
  if (contact === undefined) return {}
  const address = readAddress(contact)
  return addressVariables('contact', { ...address, user: address.user ?? 'nobody' })
}

/** Returns variables for the `X-…` and `P-…` headers, under their own names. */
function extensionHeaders(request: SipRequest): Record<string, string> {
  return Object.fromEntries(
    request.headers
      .filter((header) => /^[XP]-/i.test(header.name))
      .map((header) => [`sip_h_${header.name}`, header.value]),
  )
}

function userAtHost({ user = 'nobody', host, port }: Address): string {
  return `${user}@${host}${port === undefined ? '' : `:${port}`}`
}

function readAddress(text: string): Address {
  const [, user, host = 'invalid', port] = ADDRESS.exec(text) ?? []
  return { user: user === '' ? undefined : user, host, port }
}
