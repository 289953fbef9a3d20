import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '../../../platform/log.js'
import type { MediaEndpoint, RecordingEnd } from '../../media/model/media-endpoint.js'

export interface RecordingRequest {
  readonly path: string
  readonly channels: 'mono' | 'stereo'
  /** Maximum length in seconds; 0 for none. */
  readonly limitSeconds: number
  readonly isReadOnly: boolean
}

export interface RecordingsDeps {
  readonly media: MediaEndpoint
  readonly log: Logger
  onStarted(path: string): void
  onStopped(path: string, end: RecordingEnd, channels: number): void
}

/** Recordings in the background of a channel, by path. */
export class Recordings {
  readonly #deps: RecordingsDeps
  readonly #running = new Map<string, Promise<void>>()

  constructor(deps: RecordingsDeps) {
    this.#deps = deps
  }

  has(path: string): boolean {
    return this.#running.has(path)
  }

  get paths(): readonly string[] {
    return [...this.#running.keys()]
  }

  /** Starts a recording. Resolves with undefined once audio is recorded, or with an error text. */
  async start(request: RecordingRequest): Promise<string | undefined> {
    const { path, channels, limitSeconds, isReadOnly } = request
    if (this.#running.has(path)) return undefined
    const failure = await makeFolder(path)
    if (failure !== undefined) return failure
    const recording = this.#deps.media.record(path, {
      channels,
      isReadOnly,
      limitMs: limitSeconds > 0 ? limitSeconds * 1000 : undefined,
    })
    const ended = recording.ended.then((end) => {
      this.#running.delete(path)
      if (end.reason === 'failed') this.#deps.log.error({ path, end }, 'a recording failed')
      this.#deps.onStopped(path, end, channels === 'stereo' ? 2 : 1)
    })
    this.#running.set(path, ended)
    const started = recording.started.then(
      () => undefined,
      (error: unknown) => String(error),
    )
    const first = await Promise.race([started, recording.ended.then((end) => end.error)])
    if (first === undefined) this.#deps.onStarted(path)
    return first
  }

  /** Stops a recording. Returns false when none is running at this path. */
  async stop(path: string): Promise<boolean> {
    const ended = this.#running.get(path)
    if (ended === undefined) return false
    this.#deps.media.stopRecording(path)
    await ended
    return true
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.paths.map((path) => this.stop(path)))
  }

  mask(path: string, isMasked: boolean): boolean {
    if (!this.#running.has(path)) return false
    this.#deps.media.maskRecording(path, isMasked)
    return true
  }
}

/**
 * Creates the recording's folder if it is missing, as FreeSWITCH does. Resolves with an error text on
 * failure.
 */
async function makeFolder(path: string): Promise<string | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true })
    return undefined
  } catch (error) {
    return String(error)
  }
}
