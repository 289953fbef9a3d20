/**
 * Traces of calls for OpenTelemetry, from the events of this node: one tree for a call and the calls that it
 * dials. Below the call's span are its SIP dialogs, verbs, and requests to applications and speech engines.
 * The trace id of a call is the hexadecimal part of its sid.
 */
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  type IdGenerator,
  RandomIdGenerator,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { RecordedEvent } from '../events/call-event.js'
import { ENDED_STATUSES } from '../model/call-record.js'

export interface CallTracesOptions {
  readonly serviceName: string
  readonly version: string
  readonly processor: SpanProcessor
  /** Returns the sid of the call that dialled this one. */
  readonly parentOf: (callSid: string) => string | undefined
}

type Detail = RecordedEvent['detail']

/** The spans of a call that has not ended. */
interface OpenCall {
  readonly span: Span
  readonly context: Context
  /** The spans of its SIP dialogs, by Call-ID, with the time of their last message. */
  readonly dialogs: Map<string, { readonly span: Span; lastAt: number }>
  verb: Span | undefined
}

/** Maximum number of calls that are traced at once, and of ended ones that are remembered. */
const MAX_OPEN = 20_000
/** Maximum number of dialogs of a call that have a span: forks and retries. */
const MAX_DIALOGS = 50

export class CallTraces {
  readonly #ids = new CallIds()
  readonly #tracer: Tracer
  readonly #parentOf: CallTracesOptions['parentOf']
  readonly #open = new Map<string, OpenCall>()
  /** The sids of calls that ended, the newest last. */
  readonly #ended = new Set<string>()

  constructor({ serviceName, version, processor, parentOf }: CallTracesOptions) {
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
      spanProcessors: [processor],
      idGenerator: this.#ids,
    })
    this.#tracer = provider.getTracer('trunkline', version)
    this.#parentOf = parentOf
  }

  /** Adds one event of this node. */
  add(event: RecordedEvent): void {
    // An event after the call's end, such as its last callback, would begin a second trace.
    if (this.#ended.has(event.callSid)) return
    const call = this.#callOf(event)
    const { kind, detail, at } = event
    if (kind === 'webhook' || kind === 'callback') this.#request(call, kind, detail, at)
    else if (kind === 'synthesis') this.#synthesis(call, detail, at)
    else if (kind === 'verb') this.#verb(call, detail, at)
    else if (kind === 'sip') this.#sip(call, detail, at)
    else if (kind === 'media') setFigures(call.span, detail['figures'])
    else if (kind === 'status') this.#status(event, call)
    else if (kind !== 'sip-message') call.span.addEvent(kind, shownOf(detail), at)
  }

  /** Ends every trace: the process ends. */
  end(at: number): void {
    for (const [sid, call] of this.#open) this.#close(sid, call, at)
  }

  #callOf({ callSid, accountSid, at }: RecordedEvent): OpenCall {
    const known = this.#open.get(callSid)
    if (known !== undefined) return known
    const [oldest] = this.#open.size >= MAX_OPEN ? this.#open : []
    if (oldest !== undefined) this.#close(oldest[0], oldest[1], at)
    const parent = this.#open.get(this.#parentOf(callSid) ?? '')
    this.#ids.next = callSid.slice('CA'.length)
    const span = this.#tracer.startSpan(
      parent === undefined ? 'call' : 'dialled call',
      {
        startTime: at,
        attributes: { 'trunkline.call_sid': callSid, 'trunkline.account_sid': accountSid },
      },
      parent?.context ?? ROOT_CONTEXT,
    )
    const context = trace.setSpan(ROOT_CONTEXT, span)
    const call: OpenCall = { span, context, dialogs: new Map(), verb: undefined }
    this.#open.set(callSid, call)
    return call
  }

  #request(call: OpenCall, kind: 'webhook' | 'callback', detail: Detail, at: number): void {
    const { url, method, status, durationMs, error } = detail
    const span = this.#past(call, `${kind} ${textOf(method)}`, SpanKind.CLIENT, at, durationMs)
    span.setAttributes({ 'url.full': textOf(url), 'http.request.method': textOf(method) })
    if (typeof status === 'number') span.setAttribute('http.response.status_code', status)
    if (error !== undefined || (typeof status === 'number' && status >= 400)) fail(span, error)
    span.end(at)
  }

  #synthesis(call: OpenCall, { engine, characters, durationMs, error }: Detail, at: number): void {
    const name = `synthesis ${textOf(engine)}`
    const span = this.#past(call, name, SpanKind.CLIENT, at, durationMs)
    if (typeof characters === 'number') span.setAttribute('trunkline.characters', characters)
    if (error !== undefined) fail(span, error)
    span.end(at)
  }

  /** Starts a span of something that took `durationMs` until now. */
  #past(call: OpenCall, name: string, kind: SpanKind, at: number, durationMs: unknown): Span {
    const lasted = typeof durationMs === 'number' ? durationMs : 0
    return this.#tracer.startSpan(name, { kind, startTime: at - lasted }, call.context)
  }

  /** A verb lasts until the next one, or until the call's end. */
  #verb(call: OpenCall, { verb }: Detail, at: number): void {
    call.verb?.end(at)
    call.verb = this.#tracer.startSpan(`verb ${textOf(verb)}`, { startTime: at }, call.context)
  }

  #sip(call: OpenCall, detail: Detail, at: number): void {
    const { callId, message, direction } = detail
    const id = textOf(callId)
    const known = call.dialogs.get(id)
    if (known === undefined && call.dialogs.size >= MAX_DIALOGS) return
    const dialog = known ?? { span: this.#dialog(call, detail, at), lastAt: at }
    call.dialogs.set(id, dialog)
    dialog.lastAt = at
    const arrow = direction === 'sent' ? '→' : '←'
    dialog.span.addEvent(`${arrow} ${textOf(message)}`, {}, at)
    const status = Number.parseInt(textOf(message), 10)
    if (status >= 200) dialog.span.setAttribute('sip.response.status_code', status)
  }

  #dialog(call: OpenCall, detail: Detail, at: number): Span {
    const { direction, callId, carrier, gateway, peer } = detail
    const kind = direction === 'sent' ? SpanKind.CLIENT : SpanKind.SERVER
    const span = this.#tracer.startSpan('SIP dialog', { kind, startTime: at }, call.context)
    span.setAttribute('sip.call_id', textOf(callId))
    if (typeof carrier === 'string') span.setAttribute('trunkline.carrier', carrier)
    if (typeof gateway === 'string') span.setAttribute('trunkline.gateway', gateway)
    if (typeof peer === 'object' && peer !== null && 'host' in peer && 'port' in peer) {
      span.setAttribute('network.peer.address', textOf(peer.host))
      span.setAttribute('network.peer.port', Number(peer.port))
    }
    return span
  }

  #status({ callSid, detail, at }: RecordedEvent, call: OpenCall): void {
    const { status, sipStatus } = detail
    call.span.addEvent(textOf(status), {}, at)
    call.span.setAttribute('trunkline.status', textOf(status))
    if (typeof sipStatus === 'number') call.span.setAttribute('sip.response.status_code', sipStatus)
    if (!ENDED_STATUSES.has(status)) return
    if (status === 'failed') fail(call.span, undefined)
    this.#close(callSid, call, at)
  }

  #close(sid: string, { span, dialogs, verb }: OpenCall, at: number): void {
    this.#open.delete(sid)
    this.#ended.add(sid)
    const [oldest] = this.#ended.size > MAX_OPEN ? this.#ended : []
    if (oldest !== undefined) this.#ended.delete(oldest)
    verb?.end(at)
    for (const dialog of dialogs.values()) dialog.span.end(dialog.lastAt)
    span.end(at)
  }
}

/** Ids of spans are random, the id of a call's trace is given. */
class CallIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  next = ''

  readonly generateTraceId = (): string =>
    /^[0-9a-f]{32}$/.test(this.next) ? this.next : this.#random.generateTraceId()
  readonly generateSpanId = (): string => this.#random.generateSpanId()
}

const FIGURES: Readonly<Record<string, string>> = {
  codec: 'trunkline.audio.codec',
  packetsReceived: 'trunkline.audio.packets_received',
  packetsSent: 'trunkline.audio.packets_sent',
  lossPercent: 'trunkline.audio.loss_percent',
  jitterMs: 'trunkline.audio.jitter_ms',
  mos: 'trunkline.audio.mos',
}

function setFigures(span: Span, figures: unknown): void {
  if (typeof figures !== 'object' || figures === null) return
  for (const [name, value] of Object.entries(figures)) {
    const attribute = FIGURES[name]
    if (attribute === undefined) continue
    if (typeof value === 'string' || typeof value === 'number') span.setAttribute(attribute, value)
  }
}

/** Returns the plain facts of an event; texts and objects of the customer stay in the event log. */
function shownOf(detail: Detail): Attributes {
  const names = ['code', 'event', 'digit', 'answeredBy', 'streamSid', 'recordingSid', 'queueSid']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = detail[name]
      return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : []
    }),
  )
}

function fail(span: Span, error: unknown): void {
  const isReport = typeof error === 'object' && error !== null && 'message' in error
  const message = isReport ? error.message : error
  span.setStatus({
    code: SpanStatusCode.ERROR,
    ...(typeof message === 'string' && { message: message.slice(0, 300) }),
  })
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
