/** Stores finished files: in a folder of this machine, or in a bucket that several machines share. */
import { AdapterError } from '../errors.js'

export interface FileStore {
  /** Stores the file at `path` under `name`, replacing an earlier one. Rejects with FileStoreError. */
  put(name: string, path: string, mimeType: string): Promise<void>
  /** Deletes the file; resolves also when there is none. Rejects with FileStoreError. */
  remove(name: string): Promise<void>
  /** Returns a URL that serves the file to anybody until it expires. */
  link(name: string, wanted: WantedLink): string
}

export interface WantedLink {
  readonly seconds: number
  /** File name for the download. */
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
