import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFiles } from './files/finish-file.js'

/** The folder of recordings, as this process and as the media server name it. */
export interface RecordingFolders {
  readonly here: string
  readonly onMediaServer: string
}

export const finishedPath = ({ here }: RecordingFolders, sid: string): string =>
  join(here, `${sid}.wav`)

export const partPath = ({ here }: RecordingFolders, sid: string, index: number): string =>
  join(here, `${sid}-${index}.wav`)

export const mediaServerPath = (
  { onMediaServer }: RecordingFolders,
  sid: string,
  index: number,
): string => join(onMediaServer, `${sid}-${index}.wav`)

const MIXES = ['as-recorded', 'one-channel'] as const

export const mp3Path = (
  { here }: RecordingFolders,
  sid: string,
  mix: (typeof MIXES)[number],
): string => join(here, mix === 'as-recorded' ? `${sid}.mp3` : `${sid}.mono.mp3`)

export async function removeRecordingFiles(folders: RecordingFolders, sid: string): Promise<void> {
  await removeFiles(finishedPath(folders, sid), (index) => partPath(folders, sid, index))
  for (const mix of MIXES)
    for (const path of [mp3Path(folders, sid, mix), `${mp3Path(folders, sid, mix)}.tmp`])
      await rm(path, { force: true })
}
