/** The Legs resource of a call: what its audio is, or was. */
import { z } from '@hono/zod-openapi'
import type { Calls } from '../calls/calls.js'
import type { EventLog } from '../events/event-log.js'
import type { StoredEvent } from '../events/event-storage.js'
import { type MediaFigures, mediaFaultsOf } from '../telephony/media-figures.js'
import { CALLS } from './call-operations.js'
import { operation, said, type VoiceOperation } from './dialect/operation.js'

/** Maximum number of legs that are shown; a call that is redirected has one for each route that was tried. */
const MAX_LEGS = 100

const figure = (description: string) => z.number().openapi({ description })

const legResource = z
  .object({
    call_sid: said('The sid of its call; a dialled leg is the leg of the call that was dialled.'),
    status: z
      .enum(['in-progress', 'ended'])
      .openapi({ description: 'in-progress: the figures are those until now.' }),
    date_ended: said('When it ended, ISO 8601.').nullable(),
    codec: said('The codec, such as PCMU.').nullable(),
    payload_type: figure('The RTP payload type of the audio.').nullable(),
    event_payload_type: figure('The payload type of telephone events (RFC 4733).').nullable(),
    secure: z.boolean().openapi({ description: 'True for SRTP.' }),
    duration_ms: figure('How long its channel existed.'),
    packets_received: figure('RTP packets from the peer.'),
    packets_sent: figure('RTP packets to the peer.'),
    bytes_received: figure('Bytes of these packets, headers included.'),
    bytes_sent: figure('Bytes of these packets, headers included.'),
    packets_lost: figure('Packets of the peer that did not come.'),
    loss_percent: figure('Their share of the expected packets.'),
    jitter_ms: figure('Variation of the packets’ arrival.'),
    largest_gap_ms: figure('The longest time without a packet of the peer.').nullable(),
    round_trip_ms: figure('By the peer’s RTCP reports; null without any.').nullable(),
    digit_packets: figure('Packets of telephone events; a key press has several.'),
    mos: figure(
      'Mean opinion score of what was received, by the E-model (ITU-T G.107).',
    ).nullable(),
    local_address: said('Our address and port.').nullable(),
    remote_address: said('The peer’s address and port by its SDP.').nullable(),
    source_address: said('Where the peer’s packets came from.').nullable(),
    faults: z
      .array(z.string())
      .openapi({ description: 'What was wrong, in sentences; empty when nothing was.' }),
  })
  .openapi('Leg')

type WireLeg = z.infer<typeof legResource>

export function legOperations({
  calls,
  events,
}: {
  readonly calls: Calls
  readonly events: Pick<EventLog, 'ofKind'>
}): VoiceOperation[] {
  return [
    operation({
      id: 'listCallLegs',
      summary: 'List the legs of a call with the figures of their audio',
      description: 'A leg that has ended is shown for as long as the events of its call are kept.',
      method: 'get',
      path: `${CALLS}/{CallSid}/Legs`,
      response: z.object({
        legs: z.array(legResource).openapi({ description: 'The oldest first.' }),
      }),
      errors: [404],
      runsAt: ({ caller, params: { CallSid } }) => calls.otherNodeOf(caller.sid, CallSid),
      run: async ({ caller, params: { CallSid } }) => {
        const { call, leg } = await calls.talking(caller.sid, CallSid)
        // A leg that ends meanwhile is shown by its event.
        const figures = await leg?.media.figures().catch(() => undefined)
        const ended = (await events.ofKind(call.sid, 'media', MAX_LEGS)).flatMap(endedLeg)
        if (figures === undefined) return { legs: ended }
        const faults = mediaFaultsOf(figures)
        const live = { status: 'in-progress', date_ended: null } as const
        return { legs: [...ended, { ...live, ...toWire(call.sid, figures, faults) }] }
      },
    }),
  ]
}

/** Returns the leg that an event shows; none for the event of its beginning. */
function endedLeg({ at, callSid, detail }: StoredEvent): WireLeg[] {
  // The call's actor writes both, as the telephony port defines them.
  const { figures, faults = [] } = detail as {
    readonly figures?: MediaFigures
    readonly faults?: readonly string[]
  }
  if (figures === undefined) return []
  const date_ended = new Date(at).toISOString()
  return [{ status: 'ended', date_ended, ...toWire(callSid, figures, faults) }]
}

function toWire(
  callSid: string,
  figures: MediaFigures,
  faults: readonly string[],
): Omit<WireLeg, 'status' | 'date_ended'> {
  return {
    call_sid: callSid,
    codec: figures.codec,
    payload_type: figures.payloadType,
    event_payload_type: figures.eventPayloadType,
    secure: figures.isSecure,
    duration_ms: figures.durationMs,
    packets_received: figures.packetsReceived,
    packets_sent: figures.packetsSent,
    bytes_received: figures.bytesReceived,
    bytes_sent: figures.bytesSent,
    packets_lost: figures.packetsLost,
    loss_percent: figures.lossPercent,
    jitter_ms: figures.jitterMs,
    largest_gap_ms: figures.largestGapMs,
    round_trip_ms: figures.roundTripMs,
    digit_packets: figures.digitPackets,
    mos: figures.mos,
    local_address: figures.local,
    remote_address: figures.remote,
    source_address: figures.source,
    faults: [...faults],
  }
}
