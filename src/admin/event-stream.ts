import type { EventLog } from '../voice/events/event-log.js'

/** The number of events that may wait for a slow reader; beyond it the reader is disconnected. */
const MAX_BACKLOG = 1_000
/** The time between comments, which keep an idle stream open through proxies and clients. */
const COMMENT_EVERY_MS = 15_000

/** Streams the events of every call from now on, as server-sent events: one JSON object each. */
export function eventStream(events: EventLog): Response {
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
