import { withLimit } from '../../../platform/async/limit.js'
import type { Logger } from '../../../platform/log.js'
import type { LegRecording } from '../leg-media.js'
import { recordCommand, setVariableCommand } from './command-builder.js'
import type { MediaEndpoint } from './media-endpoint.js'

/** The time that FreeSWITCH may take to finish a channel's files after the channel's end. */
const FINISH_LIMIT_MS = 3_000

/** Resolves when FreeSWITCH has closed the file `path`; `forget` stops the wait. */
export type WhenRecorded = (path: string) => {
  readonly done: Promise<void>
  readonly forget: () => void
}

interface RecordDeps {
  readonly whenRecorded: WhenRecorded
  /**
   * Plays silence until the returned function is called. Without audio a recording stands still.
   */
  readonly holdSilence: () => () => void
  readonly log: Logger
}

/**
 * Starts a recording; see `LegMedia.record`. `pause` masks the audio with silence, so that the
 * clock goes on.
 */
export async function startRecording(
  endpoint: MediaEndpoint,
  path: string,
  channels: 'mono' | 'stereo',
  deps: RecordDeps,
): Promise<LegRecording> {
  const { uuid } = endpoint
  // An unsafe path is refused here, before anything is sent.
  const start = recordCommand(uuid, 'start', path)
  const recorded = deps.whenRecorded(path)
  try {
    await endpoint.api(setVariableCommand(uuid, 'RECORD_STEREO', String(channels === 'stereo')))
    await endpoint.api(start)
  } catch (err) {
    recorded.forget()
    throw err
  }
  const release = deps.holdSilence()
  let stopping: Promise<void> | undefined
  const finish = async (): Promise<void> => {
    try {
      release()
      if (!endpoint.over.aborted) await endpoint.api(recordCommand(uuid, 'stop', path))
    } catch (err) {
      deps.log.debug({ err }, 'recording ended with its channel')
    }
    await withLimit(recorded.done, FINISH_LIMIT_MS, () => {
      deps.log.warn({ path }, 'no RECORD_STOP event for a recording')
    })
    recorded.forget()
  }
  return {
    ended: recorded.done,
    pause: async () => {
      await endpoint.api(recordCommand(uuid, 'mask', path))
    },
    resume: async () => {
      await endpoint.api(recordCommand(uuid, 'unmask', path))
    },
    stop: () => (stopping ??= finish()),
  }
}
