/** The letters of authorisation of ports: uploads of customers, read by the operator. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import type { KeepFiles } from '../platform/files/kept-files.js'
import { readKept, uploadKind } from '../platform/files/kept-files.js'
import type { FileSample } from '../platform/uploads/file-sample.js'
import { jpeg, pdf, png, type Sniffer, tiff } from '../platform/uploads/file-signatures.js'
import type { Upload } from '../platform/uploads/read-upload.js'
import type { Port } from './port.js'
import { LetterError, PortStateError } from './port-errors.js'
import {
  existingLetters,
  insertLetter,
  lettersOf,
  type PortLetter,
} from './storage/port-letters.js'

export interface PortLetters {
  /** Stores a letter of a port. Rejects with LetterError, and with PortStateError at the limit. */
  add(port: Port, file: Upload, onAdded: (tx: Writer) => Promise<Port>): Promise<AddedLetter>
  /** Resolves with a letter; undefined when the port has no letter with that id. */
  read(port: Port, uuid: string): Promise<(PortLetter & { readonly content: Buffer }) | undefined>
  /** Deletes files without a row, left by a killed process; called before any request. */
  recover(): Promise<void>
}

export interface AddedLetter {
  readonly letter: PortLetter
  readonly port: Port
}

export interface PortLettersDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly folder: string
  readonly keepFiles: KeepFiles
}

/** Maximum size of a letter, bytes. */
export const MAX_LETTER_BYTES = 10 * 1024 * 1024
/** Maximum number of letters of one port; each rejection may need another one. */
const MAX_LETTERS = 20

interface LetterType {
  readonly mimeType: string
  readonly extensions: readonly string[]
  readonly sniff: Sniffer
}

const TYPES: readonly LetterType[] = [
  { mimeType: 'application/pdf', extensions: ['pdf'], sniff: pdf },
  { mimeType: 'image/jpeg', extensions: ['jpg', 'jpeg'], sniff: jpeg },
  { mimeType: 'image/png', extensions: ['png'], sniff: png },
  { mimeType: 'image/tiff', extensions: ['tif', 'tiff'], sniff: tiff },
]
const ALLOWED = TYPES.flatMap(({ extensions }) => extensions.map((each) => `.${each}`)).join(' ')
const MAX_NAME = 255

export function createPortLetters({ db, clock, folder, keepFiles }: PortLettersDeps): PortLetters {
  const files = keepFiles(
    uploadKind('port-letters', folder, (uuids) => existingLetters(db.read, uuids)),
  )
  return {
    add: async (port, { fileName, path, sample }, onAdded) => {
      const checked = letterType(fileName, sample)
      if ('problem' in checked) throw new LetterError(checked.problem)
      const letter: PortLetter = {
        uuid: randomUUID(),
        fileName,
        mimeType: checked.mimeType,
        bytes: sample.size,
        createdAt: clock.now(),
      }
      const file = files.pathOf(letter.uuid)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      // The file is complete on disk before a row refers to it.
      await rename(path, file)
      try {
        const changed = await db.inOneCommit(async (tx) => {
          if ((await lettersOf(tx, port.sid)).length >= MAX_LETTERS)
            throw new PortStateError(`A port has at most ${MAX_LETTERS} letters`)
          await insertLetter(tx, port.sid, letter)
          await files.enqueue(tx, letter.uuid)
          return await onAdded(tx)
        })
        db.whenDurable(() => {
          files.wake()
        })
        return { letter, port: changed }
      } catch (error) {
        await rm(file, { force: true })
        throw error
      }
    },
    read: async (port, uuid) => {
      const letter = (await lettersOf(db.read, port.sid)).find((each) => each.uuid === uuid)
      return letter && { ...letter, content: await readKept(files, uuid) }
    },
    recover: () => files.recover(),
  }
}

/** The type of a letter by its name and content, or the reason why it is invalid. */
export function letterType(
  fileName: string,
  sample: FileSample,
): { readonly mimeType: string } | { readonly problem: string } {
  if (fileName === '') return { problem: 'file: it has no name' }
  if (fileName.length > MAX_NAME)
    return { problem: `file: its name is longer than ${MAX_NAME} characters` }
  if (/[/\\]|\p{Cc}/u.test(fileName) || fileName.startsWith('.'))
    return { problem: 'file: its name has a path or control characters' }
  if (sample.size === 0) return { problem: 'file: it is empty' }
  const extension = /\.([A-Za-z0-9]{1,5})$/.exec(fileName)?.[1]?.toLowerCase() ?? ''
  const type = TYPES.find(({ extensions }) => extensions.includes(extension))
  if (type === undefined) return { problem: `file: allowed are ${ALLOWED}` }
  return type.sniff(sample)
    ? { mimeType: type.mimeType }
    : { problem: `file: its content is not that of a .${extension} file` }
}
