import { z } from '@hono/zod-openapi'
import type { EventLog } from '../voice/events/event-log.js'
import { type AdminOperation, operation } from './admin-operation.js'

export interface ObservationDeps {
  readonly events: EventLog
  /** Reads all metrics as text. */
  readonly metrics: () => Promise<string>
}

/** Maximum number of events that wait for a slow reader; beyond it the reader is disconnected. */
const MAX_BACKLOG = 1_000
/** Interval between comments, ms; they keep an idle stream open through proxies and clients. */
const COMMENT_EVERY_MS = 15_000

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
      summary: 'Get all metrics in the text format of Prometheus',
      method: 'get',
      path: '/metrics',
      response: 'text',
      run: () => metrics(),
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

/** Streams the events of every call from now on as server-sent events, one JSON object each. */
function eventStream(events: EventLog): Response {
  const encoder = new TextEncoder()
  let stop = (): void => undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        controller.enqueue(encoder.encode('event: ready\ndata: {}\n\n'))
        const comment = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': idle\n\n'))
        }, COMMENT_EVERY_MS).unref()
        const unsubscribe = events.onEvent((event) => {
          if ((controller.desiredSize ?? 0) <= 0) {
            stop()
            controller.error(new Error('the reader of the event stream is too slow'))
            return
          }
          controller.enqueue(encoder.encode(`event: call\ndata: ${JSON.stringify(event)}\n\n`))
        })
        stop = () => {
          clearInterval(comment)
          unsubscribe()
        }
      },
      cancel: () => {
        stop()
      },
    },
    new CountQueuingStrategy({ highWaterMark: MAX_BACKLOG }),
  )
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  })
}
