import { z } from '@hono/zod-openapi'
import type { EventLog } from '../voice/events/event-log.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { eventStream } from './event-stream.js'

export interface ObservationDeps {
  readonly events: EventLog
  /** Reads all gauges and counters, by name. */
  readonly metrics: () => Promise<Readonly<Record<string, number>>>
}

/** The operations that show metrics and live events. */
export function observationOperations({ events, metrics }: ObservationDeps): AdminOperation[] {
  return [
    operation({
      id: 'getHealth',
      summary: 'Tell that the process answers',
      method: 'get',
      path: '/healthz',
      isOpen: true,
      response: z.object({
        status: z.literal('ok').openapi({ description: 'Always the same.' }),
      }),
      run: () => ({ status: 'ok' }),
    }),
    operation({
      id: 'getMetrics',
      summary: 'Get gauges and counters in the text format of Prometheus',
      method: 'get',
      path: '/metrics',
      response: 'text',
      run: async () => {
        const lines = Object.entries(await metrics()).map(
          ([name, value]) => `trunkline_${name} ${value}`,
        )
        return `${lines.join('\n')}\n`
      },
    }),
    operation({
      id: 'watchEvents',
      summary: 'Watch the events of all calls as they happen',
      method: 'get',
      path: '/events',
      response: {
        mediaTypes: ['text/event-stream'],
        description: 'First the event `ready`, then an event `call` with a JSON object for each.',
      },
      run: () => eventStream(events),
    }),
  ]
}
