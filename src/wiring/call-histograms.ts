/** Histograms of calls, webhooks and audio, counted from the events of this node's calls. */
import type { Metrics } from '../platform/metrics/metrics.js'
import type { RecordedEvent } from '../voice/events/call-event.js'
import type { EventLog } from '../voice/events/event-log.js'
import { ENDED_STATUSES } from '../voice/model/call-record.js'

type Detail = RecordedEvent['detail']
type Direction = 'inbound' | 'outbound'

/** What is known of a call that has not ended. */
interface OpenCall {
  readonly firstAt: number
  /** Undefined before an INVITE. */
  direction: Direction | undefined
  answeredAt: number | undefined
}

/** Maximum number of calls that are measured at once; the oldest are forgotten beyond it. */
const MAX_OPEN = 20_000

export function addCallHistograms(metrics: Metrics, events: Pick<EventLog, 'onOwnEvent'>): void {
  const observe = histogramsOf(metrics)
  const open = new Map<string, OpenCall>()
  events.onOwnEvent((event) => {
    const { kind, detail } = event
    if (kind === 'webhook' || kind === 'callback') countRequest(observe, kind, detail)
    else if (kind === 'media') countAudio(observe, detail['figures'])
    else if (kind === 'sip' && detail['message'] === 'INVITE') noteDirection(open, event)
    else if (kind === 'status') countStatus(observe, open, event)
  })
}

type Histograms = ReturnType<typeof histogramsOf>

function histogramsOf(metrics: Metrics) {
  const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
  return {
    request: metrics.histogram({
      name: 'webhook_duration_seconds',
      help: 'Duration of requests to customers, by kind and by the class of the response; failed had no response.',
      labels: ['kind', 'result'],
      buckets: seconds,
    }),
    setup: metrics.histogram({
      name: 'call_setup_seconds',
      help: 'Time from the first event of a call to its answer.',
      labels: ['direction'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
    }),
    duration: metrics.histogram({
      name: 'call_duration_seconds',
      help: 'Time from the answer of a call to its end.',
      labels: ['direction'],
      buckets: [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400],
    }),
    loss: metrics.histogram({
      name: 'leg_loss_ratio',
      help: 'Share of the expected RTP packets of a leg that were lost on the way to us.',
      labels: [],
      buckets: [0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5],
    }),
    jitter: metrics.histogram({
      name: 'leg_jitter_seconds',
      help: 'Jitter of the audio of a leg, as its media server measures it.',
      labels: [],
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5],
    }),
    mos: metrics.histogram({
      name: 'leg_mos',
      help: 'Mean opinion score of the audio of a leg, estimated by the E-model, 1 to 4.5.',
      labels: [],
      buckets: [1, 2, 2.6, 3.1, 3.6, 4, 4.3, 4.5],
    }),
  }
}

function countRequest(
  observe: Histograms,
  kind: 'webhook' | 'callback',
  { durationMs, status }: Detail,
): void {
  if (typeof durationMs !== 'number') return
  const result = typeof status === 'number' ? `${Math.floor(status / 100)}xx` : 'failed'
  observe.request(durationMs / 1_000, { kind, result })
}

/** Counts the audio of a leg at its end; a leg that received nothing has no figures worth counting. */
function countAudio(observe: Histograms, figures: unknown): void {
  if (typeof figures !== 'object' || figures === null) return
  const all = new Map<string, unknown>(Object.entries(figures))
  const [loss, jitter, mos] = [all.get('lossPercent'), all.get('jitterMs'), all.get('mos')]
  if (typeof mos !== 'number') return
  observe.mos(mos, {})
  if (typeof loss === 'number') observe.loss(loss / 100, {})
  if (typeof jitter === 'number') observe.jitter(jitter / 1_000, {})
}

function countStatus(observe: Histograms, open: Map<string, OpenCall>, event: RecordedEvent): void {
  const { status } = event.detail
  const call = callOf(open, event)
  const direction = call.direction ?? 'outbound'
  if (status === 'in-progress' && call.answeredAt === undefined) {
    call.answeredAt = event.at
    observe.setup(secondsBetween(call.firstAt, event.at), { direction })
  }
  if (!ENDED_STATUSES.has(status)) return
  open.delete(event.callSid)
  if (call.answeredAt !== undefined)
    observe.duration(secondsBetween(call.answeredAt, event.at), { direction })
}

/** The first INVITE tells who called. */
function noteDirection(open: Map<string, OpenCall>, event: RecordedEvent): void {
  const direction = event.detail['direction'] === 'received' ? 'inbound' : 'outbound'
  callOf(open, event).direction ??= direction
}

function callOf(open: Map<string, OpenCall>, { callSid, at }: RecordedEvent): OpenCall {
  const known = open.get(callSid)
  if (known !== undefined) return known
  const [oldest] = open.size >= MAX_OPEN ? open.keys() : []
  if (oldest !== undefined) open.delete(oldest)
  const call: OpenCall = { firstAt: at, direction: undefined, answeredAt: undefined }
  open.set(callSid, call)
  return call
}

/** The wall clock may have been set back between two events. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1_000
}
