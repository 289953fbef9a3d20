import { createHmac, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, type Stats } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, extname } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '../../../platform/clock.js'
import type { Logger } from '../../../platform/log.js'
import { isSameSecret, newSecret, sha256Hex } from '../../../platform/secrets.js'

/** Maximum size of a recording: a day of two channels. */
const MAX_BYTES = 4 * 1024 * 1024 * 1024
/** Maximum time that a connection may be idle, ms. */
const SILENCE_LIMIT_MS = 30_000
const PUT_PATH = /^\/record\/([0-9a-f]{32})\.wav$/

export interface FileListenerOptions {
  readonly address: string
  /** `address` as the media server sees it, when it differs. */
  readonly advertisedAddress: string | undefined
  /** True for the address of a media server; all other clients get 404. */
  readonly isMediaServer: (address: string | undefined) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

/** A file that a media server was asked to upload. */
export interface ExpectedFile {
  /** Contains a token that is valid for one file. */
  readonly url: string
  /** Stops waiting. Resolves to true when the whole file has arrived. */
  finish(): Promise<boolean>
}

interface Waiting {
  readonly path: string
  receiving: Promise<boolean> | undefined
}

/** Time window within which a file's URL stays the same, so that the media server can cache it, ms. */
const WINDOW_MS = 3_600_000
const SIGNED_PATH = /^\/play\/(\d{1,15})\/([\w-]{43})\/([\w-]{1,1500})(\.[a-z0-9]{1,5})$/

/**
 * The HTTP server from which media servers on other machines download files to play, and to which
 * they upload recordings. A URL that this process did not sign, or that has expired, gets 404.
 */
export class FileListener implements AsyncDisposable {
  readonly #options: FileListenerOptions
  readonly #server: Server
  readonly #key = randomBytes(32)
  /** Expected uploads by the digest of their token, so that response times reveal nothing about tokens. */
  readonly #waiting = new Map<string, Waiting>()

  static async open(options: FileListenerOptions): Promise<FileListener> {
    const server = createServer({ requestTimeout: 0 })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, options.address, () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
    return new FileListener(server, options)
  }

  private constructor(server: Server, options: FileListenerOptions) {
    this.#server = server
    this.#options = options
    server.setTimeout(SILENCE_LIMIT_MS)
    server.on('request', (request, response) => {
      this.#serve(request, response).catch((err: unknown) => {
        options.log.warn({ err }, 'could not transfer a file of a media server')
        request.destroy()
      })
    })
    server.on('error', (err) => {
      options.log.error({ err }, 'file listener failed')
    })
  }

  /** Returns a URL from which the media server can download the file for one to two hours. */
  urlOf(path: string): string {
    return `${this.#base()}${signedPath(path, this.#key, this.#options.clock.now())}`
  }

  /** Expects an upload; the file is stored at `path` once it has arrived in full. */
  expect(path: string): ExpectedFile {
    const token = newSecret()
    const key = sha256Hex(token)
    const waiting: Waiting = { path, receiving: undefined }
    this.#waiting.set(key, waiting)
    return {
      url: `${this.#base()}/record/${token}.wav`,
      finish: async () => {
        this.#waiting.delete(key)
        return (await waiting.receiving) ?? false
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve()
      })
    })
  }

  #base(): string {
    const { address, advertisedAddress } = this.#options
    const host = advertisedAddress ?? address
    const { port } = this.#server.address() as AddressInfo // a TCP server's address is no string
    return `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { isMediaServer, log } = this.#options
    const { remoteAddress } = request.socket
    const isKnown = isMediaServer(remoteAddress)
    if (!isKnown) log.warn({ remoteAddress }, 'refused a request for files: not a media server')
    if (isKnown && (request.method === 'GET' || request.method === 'HEAD'))
      await this.#send(request, response)
    else if (isKnown && request.method === 'PUT') await this.#receive(request, response)
    else refuse(response)
  }

  async #send({ method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = fileOfSignedPath(url, this.#key, this.#options.clock.now())
    const found = path === undefined ? undefined : await this.#find(path)
    if (path === undefined || found?.isFile() !== true) {
      refuse(response)
      return
    }
    response.writeHead(200, {
      'content-type': 'audio/x-wav',
      'content-length': found.size,
      'cache-control': 'max-age=3600',
    })
    if (method === 'HEAD') response.end()
    else await pipeline(createReadStream(path, { end: Math.max(0, found.size - 1) }), response)
  }

  /** Returns the file's stats; undefined when it cannot be read, for example because it was removed. */
  async #find(path: string): Promise<Stats | undefined> {
    try {
      return await stat(path)
    } catch (err) {
      this.#options.log.warn({ err, path }, 'a media server asked for a file that cannot be read')
      return undefined
    }
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = ''] = PUT_PATH.exec(request.url ?? '') ?? []
    const waiting = this.#waiting.get(sha256Hex(token))
    if (waiting === undefined || waiting.receiving !== undefined) {
      refuse(response)
      return
    }
    const receiving = store(request, waiting.path)
    waiting.receiving = receiving.then(
      () => true,
      () => false,
    )
    try {
      await receiving
    } catch (err) {
      // The media server may retry the upload.
      waiting.receiving = undefined
      throw err
    }
    response.writeHead(201).end()
  }
}

/** Returns a signed URL path for the file, valid for one to two hours. */
export function signedPath(file: string, key: Buffer, now: number): string {
  const expires = String((Math.floor(now / WINDOW_MS) + 2) * WINDOW_MS)
  const extension = /^\.[a-z0-9]{1,5}$/.test(extname(file)) ? extname(file) : '.wav'
  const name = Buffer.from(file).toString('base64url')
  return `/play/${expires}/${macOf(expires, name, key)}/${name}${extension}`
}

/** Returns the file of a signed URL path; undefined when the signature is wrong or has expired. */
export function fileOfSignedPath(path: string, key: Buffer, now: number): string | undefined {
  const [, expires = '', mac = '', name = ''] = SIGNED_PATH.exec(path) ?? []
  if (name === '' || !isSameSecret(mac, macOf(expires, name, key))) return undefined
  return Number(expires) > now ? Buffer.from(name, 'base64url').toString() : undefined
}

function macOf(expires: string, name: string, key: Buffer): string {
  return createHmac('sha256', key).update(`${expires} ${name}`).digest('base64url')
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, { connection: 'close' }).end()
}

/** Writes a request body to the path, atomically. */
async function store(request: IncomingMessage, path: string): Promise<void> {
  const partial = `${path}.part`
  try {
    await mkdir(dirname(path), { recursive: true })
    await pipeline(request, limited(MAX_BYTES), createWriteStream(partial))
    if (!request.complete) throw new Error('the body ended early')
    await rename(partial, path)
  } catch (err) {
    await rm(partial, { force: true })
    throw err
  }
}

/** Returns a stream that fails after more than `maxBytes` bytes. */
function limited(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(new Error('the file is too long'))
      else done(null, chunk)
    },
  })
}
