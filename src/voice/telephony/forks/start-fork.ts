import type { WebSocket } from 'ws'
import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import { forkStartCommand, forkStopCommand } from '../freeswitch/command-builder.js'
import type { MediaEndpoint } from '../freeswitch/media-endpoint.js'
import type { ForkEvents, ForkRequest, LegFork } from '../leg-media.js'
import { LegEndedError } from '../port.js'
import type { ForkListener } from './fork-listener.js'
import type { SilenceUnderlay } from './silence-underlay.js'

const CLOSE_LIMIT_MS = 1_000
/** Maximum audio waiting for the media server, bytes: about four seconds. More would arrive too late. */
const MAX_BUFFERED_BYTES = 64 * 1024

export interface ForkDeps {
  readonly listener: ForkListener
  readonly underlay: SilenceUnderlay
  readonly log: Logger
}

/** Starts a fork; see `LegMedia.fork`. */
export async function startFork(
  endpoint: MediaEndpoint,
  request: ForkRequest,
  events: ForkEvents,
  deps: ForkDeps,
): Promise<LegFork> {
  const expected = deps.listener.expect()
  const onOver = (): void => {
    expected.forget()
  }
  endpoint.over.addEventListener('abort', onOver, { once: true })
  let isStarted = false
  try {
    await endpoint.api(forkStartCommand(endpoint.uuid, expected.url, request))
    isStarted = true
    const socket = await expected.socket
    const needsSilence = request.hears === 'both' || request.speaks === 'yes'
    const release = needsSilence ? deps.underlay.hold(endpoint) : () => undefined
    return runFork(socket, endpoint, request, events, release, deps.log)
  } catch (err) {
    expected.forget()
    if (endpoint.over.aborted) throw new LegEndedError('the leg is over')
    // When a fork was refused because its name is in use, the existing fork must not be stopped.
    if (isStarted) stopQuietly(endpoint, request.name, deps.log)
    throw err
  } finally {
    endpoint.over.removeEventListener('abort', onOver)
  }
}

function runFork(
  socket: WebSocket,
  endpoint: MediaEndpoint,
  { name }: ForkRequest,
  events: ForkEvents,
  release: () => void,
  log: Logger,
): LegFork {
  let state: 'running' | 'stopping' = 'running'
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      release()
      resolve()
      if (state === 'stopping') return
      events.onEnded(endpoint.over.aborted ? 'leg-over' : 'lost')
      // mod_audio_fork keeps the name until the fork is stopped.
      if (!endpoint.over.aborted) stopQuietly(endpoint, name, log)
    })
  })
  socket.on('error', (err) => {
    log.debug({ err }, 'fork socket failed') // the 'close' event follows
  })
  socket.on('message', (data, isBinary) => {
    if (state !== 'running' || !Buffer.isBuffer(data)) return
    if (isBinary) events.onAudio(data)
    else tellMark(data.toString('utf8'), events)
  })
  const stop = async (): Promise<void> => {
    state = 'stopping'
    if (!endpoint.over.aborted) stopQuietly(endpoint, name, log)
    await withLimit(closed, CLOSE_LIMIT_MS, () => {
      socket.terminate()
    })
  }
  let stopping: Promise<void> | undefined
  return {
    speak: (audio) => {
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return false
      socket.send(audio)
      return true
    },
    mark: (mark) => {
      socket.send(JSON.stringify({ type: 'mark', data: { name: mark } }))
    },
    silence: () => {
      socket.send(JSON.stringify({ type: 'killAudio' }))
    },
    stop: () => (stopping ??= stop()),
  }
}

function stopQuietly(endpoint: MediaEndpoint, name: string, log: Logger): void {
  endpoint.api(forkStopCommand(endpoint.uuid, name)).catch((err: unknown) => {
    if (err instanceof LegEndedError || err instanceof AdapterError)
      log.debug({ err }, 'the fork had already ended')
    else log.error({ err }, 'could not stop a fork')
  })
}

function tellMark(text: string, events: ForkEvents): void {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch (err) {
    if (err instanceof SyntaxError) return // dropped: the module sends JSON only
    throw err
  }
  if (typeof message !== 'object' || message === null || !('data' in message)) return
  const { data } = message
  if (typeof data !== 'object' || data === null || !('name' in data)) return
  const how = 'event' in data && data.event === 'cleared' ? 'cleared' : 'played'
  events.onMark?.(String(data.name), how)
}
