/** Where finished files are kept: a folder of this machine, or a bucket that several machines share. */
import { AdapterError } from '../errors.js'

export interface FileStore {
  /** Keeps the file at `path` under `name`, in place of an earlier one. Rejects with FileStoreError. */
  put(name: string, path: string, mimeType: string): Promise<void>
  /** Deletes the file; resolves also when there is none. Rejects with FileStoreError. */
  remove(name: string): Promise<void>
  /** Makes a URL that gives the file to whoever has it, until it expires. */
  link(name: string, wanted: WantedLink): string
}

export interface WantedLink {
  readonly seconds: number
  /** The name that the file gets where it is saved. */
  readonly fileName: string
  readonly mimeType: string
}

/** The store did not take or delete a file. */
export class FileStoreError extends AdapterError {
  override readonly name = 'FileStoreError'

  constructor(message: string, cause?: unknown) {
    super(message, { cause, isRetryable: true })
  }
}
