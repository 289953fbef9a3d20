/** Traces of calls, sent to the collector that the settings name. */
import { createOutbound } from '../platform/http/outbound.js'
import type { Base } from './base.js'
import { VERSION } from './version.js'
import type { Voice } from './voice.js'

export interface Traces {
  /** Number of spans that were dropped since the start. */
  readonly dropped: number
}

/** Starts the traces; undefined without their setting, and then none of their packages is loaded. */
export async function wireTraces(base: Base, voice: Voice): Promise<Traces | undefined> {
  const { config, clock, disposer, events, log, resolve } = base
  if (config.traces === undefined) return undefined
  const { CallTraces } = await import('../voice/traces/call-traces.js')
  const { SpanSender } = await import('../voice/traces/span-sender.js')
  // The operator names the collector, which is in a private network as a rule.
  const policy = { mode: 'allow-private', allow: [] } as const
  const outbound = disposer.use(createOutbound({ policy, clock, log, resolve }))
  const sender = disposer.use(new SpanSender({ ...config.traces, outbound, log }))
  const traces = new CallTraces({
    serviceName: config.traces.serviceName,
    version: VERSION,
    processor: sender,
    parentOf: (sid) => voice.calls.parentOf(sid),
  })
  disposer.defer(() => {
    traces.end(clock.now())
  })
  disposer.defer(
    events.onOwnEvent((event) => {
      traces.add(event)
    }),
  )
  return sender
}
