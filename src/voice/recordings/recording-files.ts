import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptFiles } from '../../platform/files/kept-files.js'
import { removeFiles } from './files/finish-file.js'

/** The folder of recordings in progress, as this process and as the media server see it. */
export interface RecordingFolders {
  readonly here: string
  readonly onMediaServer: string
}

/** File name of a finished recording. */
export const finishedName = (sid: string): string => `${sid}.wav`

/** True for the name of a finished recording, false for a part. */
export const isFinishedName = (fileName: string): boolean => /^RE[0-9a-f]{32}\.wav$/.test(fileName)

/** Returns the sid in the name of a recording's file, part or converted format. */
export const sidOfFile = (fileName: string): string | undefined =>
  /^(RE[0-9a-f]{32})[-.]/.exec(fileName)?.[1]

export const partPath = ({ here }: RecordingFolders, sid: string, index: number): string =>
  join(here, `${sid}-${index}.wav`)

export const mediaServerPath = (
  { onMediaServer }: RecordingFolders,
  sid: string,
  index: number,
): string => join(onMediaServer, `${sid}-${index}.wav`)

const MIXES = ['as-recorded', 'one-channel'] as const

export const mp3Name = (sid: string, mix: (typeof MIXES)[number]): string =>
  mix === 'as-recorded' ? `${sid}.mp3` : `${sid}.mono.mp3`

/** Deletes every file of the recording on this machine. */
export async function removeRecordingFiles(
  folders: RecordingFolders,
  files: KeptFiles,
  sid: string,
): Promise<void> {
  await removeFiles(files.pathOf(finishedName(sid)), (index) => partPath(folders, sid, index))
  const mp3s = MIXES.map((mix) => mp3Name(sid, mix))
  await files.forget([finishedName(sid), ...mp3s])
  for (const name of mp3s) await rm(`${files.pathOf(name)}.tmp`, { force: true })
}
