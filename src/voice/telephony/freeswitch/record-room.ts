import { withLimit } from '../../../platform/async/limit.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Logger } from '../../../platform/log.js'
import type { RoomRecording } from '../leg-media.js'
import { type ApiCommand, roomRecordCommand } from './command-builder.js'
import { type BringFile, onceFor, type WhenRecorded } from './record.js'

const START_LIMIT_MS = 3_000
/** Maximum time for FreeSWITCH to finish the file after the recording has ended, ms. */
const FINISH_LIMIT_MS = 3_000

/**
 * The media server of a room. Commands use the login connection, since a room can outlive each channel in it.
 */
export interface RoomServer {
  /** Waits until the recording of `path` starts; resolves with the error when the room cannot record. */
  readonly whenRecording: (path: string) => {
    readonly done: Promise<string | undefined>
    readonly forget: () => void
  }
  readonly whenRecorded: WhenRecorded
  readonly bring: BringFile
  /** Sends a command and resolves with the answer's text without its line end. */
  readonly api: (command: ApiCommand) => Promise<string>
}

/**
 * Records a room; see `RoomSeat.record`. Only an event, not the command's answer, confirms that the file was
 * opened.
 */
export async function recordRoom(
  room: string,
  path: string,
  server: RoomServer,
  log: Logger,
): Promise<RoomRecording> {
  const start = roomRecordCommand(room, 'start', path)
  const stop = roomRecordCommand(room, 'stop', path)
  const recorded = server.whenRecorded(path)
  const begun = server.whenRecording(path)
  try {
    const answer = await server.api(start)
    if (answer.startsWith('-')) throw new AdapterError(`the media server refused: ${answer}`)
    const error = await withLimit(begun.done, START_LIMIT_MS, () => {
      throw new AdapterError('the media server did not begin to record a room')
    })
    if (error !== undefined) throw new AdapterError(`the media server cannot record: ${error}`)
  } catch (err) {
    recorded.forget()
    throw err
  } finally {
    begun.forget()
  }
  const bring = onceFor(path, server.bring)
  let stopping: Promise<void> | undefined
  const finish = async (): Promise<void> => {
    // A recording ends together with its room; the answer does not matter then.
    await server.api(stop)
    await withLimit(recorded.done, FINISH_LIMIT_MS, () => {
      log.warn({ path }, 'no stop-recording event came for a room')
    })
    recorded.forget()
    await bring()
  }
  return { ended: recorded.done.then(bring), stop: () => (stopping ??= finish()) }
}
