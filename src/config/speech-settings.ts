import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import type { EnvReader } from './env-reader.js'

export interface SpeechSettings {
  /** Number of threads of the built-in voices. */
  readonly workers: number
  /** Absolute path of espeak-ng; undefined when it is not installed or is switched off. */
  readonly command: string | undefined
}

const USUAL_COMMAND = 'espeak-ng'

export function readSpeech(reader: EnvReader, problems: string[]): SpeechSettings {
  const workers = reader.atLeastOne('SPEECH_WORKERS', Math.max(1, availableParallelism() - 1))
  const named = reader.optional('SPEECH_COMMAND')
  if (named === 'off') return { workers, command: undefined }
  const folders = (reader.searchPath() ?? '').split(delimiter).filter(isAbsolute)
  const command = findCommand(named ?? USUAL_COMMAND, folders)
  if (named !== undefined && command === undefined)
    problems.push(`SPEECH_COMMAND: must be a program that can be run, or off, is "${named}"`)
  return { workers, command }
}

function findCommand(name: string, folders: readonly string[]): string | undefined {
  const places = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))
  return places.find(isRunnable)
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // it is absent, or belongs to others
  }
}
