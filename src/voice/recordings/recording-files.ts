import { join } from 'node:path'
import { removeFiles } from './files/finish-file.js'

/** Where the files of recordings are, and what the media server that writes them calls that place. */
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

export function removeRecordingFiles(folders: RecordingFolders, sid: string): Promise<void> {
  return removeFiles(finishedPath(folders, sid), (index) => partPath(folders, sid, index))
}
