import { createHash, type Hash, randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DomainError } from '../errors.js'
import { type FileSample, FileSampler } from './file-sample.js'
import { boundaryOf, type MultipartPiece, MultipartScanner } from './multipart.js'

/** A complete file at a temporary path; disposing deletes it unless it was moved. */
export interface Upload extends AsyncDisposable {
  readonly fileName: string
  readonly path: string
  readonly sample: FileSample
  readonly sha256: string
}

/** An upload was refused. */
export class UploadError extends DomainError {
  override readonly name = 'UploadError'
  readonly code = 'upload-refused'
  /** `busy`: a later attempt may succeed. */
  readonly reason: 'unreadable' | 'too-big' | 'busy'

  constructor(reason: UploadError['reason'], message: string, cause?: unknown) {
    super(message)
    this.reason = reason
    this.cause = cause
  }
}

/** Maximum bytes of a multipart body besides the file. */
const OVERHEAD = 64 * 1024
/** Maximum number of concurrent uploads; further ones are refused as `busy`. */
const MAX_UPLOADS = 64
/** Maximum number of concurrent uploads per sender, so that slow ones do not block other senders. */
const MAX_UPLOADS_OF_ONE = 8

/** Reads the file of a request; `sender` names who sends it. Rejects with UploadError. */
export type ReadUpload = (request: Request, sender: string) => Promise<Upload>

/**
 * Reads the `file` of a multipart request into a file below `folder` as it arrives, up to the limit. The file
 * is deleted on disposal unless it was moved, and on every failure. Creating the reader deletes files that a
 * killed process left.
 */
export function createUploadReader(folder: string, maxBytes: number): ReadUpload {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const running = new RunningUploads()
  return async (request, sender) => {
    const boundary = boundaryOf(request.headers.get('content-type') ?? '')
    if (boundary === undefined)
      throw new UploadError('unreadable', 'the body must be multipart/form-data with a boundary')
    if (Number(request.headers.get('content-length') ?? '0') > maxBytes + OVERHEAD)
      throw tooBig(maxBytes)
    running.enter(sender)
    try {
      const incoming = new IncomingFile(join(folder, `${randomUUID()}.part`), maxBytes)
      return await receive(request, new MultipartScanner(boundary), incoming)
    } finally {
      running.leave(sender)
    }
  }
}

/** Counts the running uploads. */
class RunningUploads {
  readonly #bySender = new Map<string, number>()
  #all = 0

  /** Counts a new upload; throws UploadError when there are too many. */
  enter(sender: string): void {
    const own = this.#bySender.get(sender) ?? 0
    if (own >= MAX_UPLOADS_OF_ONE || this.#all >= MAX_UPLOADS)
      throw new UploadError('busy', 'too many uploads at the same time')
    this.#bySender.set(sender, own + 1)
    this.#all += 1
  }

  leave(sender: string): void {
    const left = (this.#bySender.get(sender) ?? 0) - 1
    if (left > 0) this.#bySender.set(sender, left)
    else this.#bySender.delete(sender)
    this.#all -= 1
  }
}

function tooBig(maxBytes: number): Error {
  return new UploadError('too-big', `a file has at most ${maxBytes} bytes`)
}

async function receive(
  request: Request,
  scanner: MultipartScanner,
  incoming: IncomingFile,
): Promise<Upload> {
  try {
    for await (const chunk of chunksOf(request)) {
      incoming.count(chunk.length)
      for (const piece of scanner.feed(chunk)) await incoming.take(piece)
    }
    const why = scanner.end()
    if (why !== undefined) throw new UploadError('unreadable', why)
    return await incoming.finish()
  } catch (error) {
    await incoming.discard()
    throw error
  }
}

/** The chunks of a request's body; throws when the client disconnects before the end. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  if (request.body === null) return
  const body: ReadableStream<Uint8Array> = request.body
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw cutOff(error)
      })
      if (done) return
      yield value
    }
  } finally {
    // The reader is not needed any more, whether the body ended or not.
    await reader.cancel().catch(() => undefined) // the request's own failure was thrown above
  }
}

function cutOff(cause: unknown): Error {
  return new UploadError('unreadable', 'the body ended before it was whole', cause)
}

/** Owns the temporary file until it is handed over. */
class IncomingFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #sampler = new FileSampler()
  readonly #hash: Hash = createHash('sha256')
  #received = 0
  #fileName = ''
  #handle: FileHandle | undefined

  constructor(path: string, maxBytes: number) {
    this.#path = path
    this.#maxBytes = maxBytes
  }

  /** Counts received bytes, so that a body of unwanted parts is limited too. */
  count(bytes: number): void {
    this.#received += bytes
    if (this.#received > this.#maxBytes + OVERHEAD) throw tooBig(this.#maxBytes)
  }

  async take(piece: MultipartPiece): Promise<void> {
    switch (piece.type) {
      case 'broken':
        throw new UploadError('unreadable', piece.why)
      case 'file-begins':
        this.#fileName = piece.fileName
        this.#handle = await open(this.#path, 'wx', 0o600)
        return
      case 'file-bytes':
        this.#sampler.add(piece.bytes)
        if (this.#sampler.size > this.#maxBytes) throw tooBig(this.#maxBytes)
        this.#hash.update(piece.bytes)
        await this.#handle?.writeFile(piece.bytes)
    }
  }

  async finish(): Promise<Upload> {
    // The file is on the disk before its name says that it is whole.
    await this.#handle?.sync()
    await this.#close()
    return {
      fileName: this.#fileName,
      path: this.#path,
      sample: this.#sampler.sample(),
      sha256: this.#hash.digest('hex'),
      [Symbol.asyncDispose]: () => rm(this.#path, { force: true }),
    }
  }

  async discard(): Promise<void> {
    await this.#close()
    await rm(this.#path, { force: true })
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}
