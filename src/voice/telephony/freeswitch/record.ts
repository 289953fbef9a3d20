import { withLimit } from '../../../platform/async/limit.js'
import type { Logger } from '../../../platform/log.js'
import type { LegRecording } from '../leg-media.js'
import { nextRecordingCommand, recordCommand } from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

/** Maximum time for FreeSWITCH to finish a channel's files after the channel has ended, ms. */
const FINISH_LIMIT_MS = 3_000

/** Returns a promise that resolves when FreeSWITCH has closed the file `path`; `forget` stops the wait. */
export type WhenRecorded = (path: string) => {
  readonly done: Promise<void>
  readonly forget: () => void
}

/** Fetches a complete recording from a media server that shares no folder with us. */
export type BringFile = (path: string) => Promise<unknown>

interface RecordDeps {
  readonly whenRecorded: WhenRecorded
  readonly bring: BringFile
  /** Plays silence until the returned function is called. A recording only advances while there is audio. */
  readonly holdSilence: () => () => void
  readonly log: Logger
}

/** Starts a recording; see `LegMedia.record`. `pause` records silence instead of the audio. */
export async function startRecording(
  endpoint: MediaEndpoint,
  path: string,
  channels: 'mono' | 'stereo',
  deps: RecordDeps,
): Promise<LegRecording> {
  const { uuid } = endpoint
  // Throws for an unsafe path, before anything is sent.
  const start = recordCommand(uuid, 'start', path)
  const recorded = deps.whenRecorded(path)
  try {
    await endpoint.api(nextRecordingCommand(uuid, channels))
    await endpoint.api(start)
  } catch (err) {
    recorded.forget()
    throw err
  }
  const release = deps.holdSilence()
  const bring = onceFor(path, deps.bring)
  let stopping: Promise<void> | undefined
  const finish = async (): Promise<void> => {
    try {
      release()
      if (!endpoint.over.aborted) await endpoint.api(recordCommand(uuid, 'stop', path))
    } catch (err) {
      deps.log.debug({ err }, 'recording ended with its channel')
    }
    await withLimit(recorded.done, FINISH_LIMIT_MS, () => {
      deps.log.warn({ path }, 'no RECORD_STOP event came for a recording')
    })
    recorded.forget()
    await bring()
  }
  return {
    ended: recorded.done.then(bring),
    pause: async () => {
      await endpoint.api(recordCommand(uuid, 'mask', path))
    },
    resume: async () => {
      await endpoint.api(recordCommand(uuid, 'unmask', path))
    },
    stop: () => (stopping ??= finish()),
  }
}

/** Returns a function that fetches the file at its first call; later calls share the promise. */
export function onceFor(path: string, bring: BringFile): () => Promise<void> {
  let bringing: Promise<void> | undefined
  return () => (bringing ??= bring(path).then(() => undefined))
}
