import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StoredObject {
  readonly bytes: Buffer
  readonly headers: IncomingMessage['headers']
}

interface Refusal {
  readonly status: number
  readonly code: string
}

export const STORE_KEY = { id: 'AKID0TEST', secret: 'a/secret+of=the store' }
const BUCKET = 'recordings'

/**
 * An object store with one bucket, `recordings`, that verifies signatures. They are computed from the received
 * bytes by the protocol's specification, independently of the code under test.
 */
export class ObjectStoreSink implements AsyncDisposable {
  readonly objects = new Map<string, StoredObject>()
  /** Answered requests, such as `PUT /recordings/a.wav 200`. */
  readonly answered: string[] = []
  /** Received requests, such as `PUT /recordings/a.wav`. */
  readonly asked: string[] = []
  readonly #server: Server
  #refusal: Refusal | undefined
  #gate: Promise<void> = Promise.resolve()

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#answer(request, response)
    })
  }

  static async start(port = 0, address = '127.0.0.1'): Promise<ObjectStoreSink> {
    const sink = new ObjectStoreSink()
    sink.#server.listen(port, address)
    await once(sink.#server, 'listening')
    return sink
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port // a TCP server's
  }

  get bucketUrl(): string {
    return `http://127.0.0.1:${this.port}/${BUCKET}`
  }

  /** Refuses all following requests; without arguments, accepts them again. */
  refuse(status?: number, code = 'InternalError'): void {
    this.#refusal = status === undefined ? undefined : { status, code }
  }

  /** Delays all answers until the returned function is called. */
  hold(): () => void {
    let open: () => void = () => undefined
    this.#gate = new Promise((resolve) => {
      open = resolve
    })
    return open
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    this.asked.push(`${method} ${url}`)
    const bytes = Buffer.concat(await collect(request))
    await this.#gate
    if (method === 'GET' && request.headers.authorization === undefined) {
      this.#serve(url, request, response)
      return
    }
    const refusal = this.#refusal ?? refusalOf(request, bytes)
    if (method === 'GET' && refusal === undefined) this.#serveSigned(url, request, response)
    else this.#change(request, { bytes, headers: request.headers }, refusal, response)
  }

  #change(
    { method = '', url = '' }: IncomingMessage,
    object: StoredObject,
    refusal: Refusal | undefined,
    response: ServerResponse,
  ): void {
    const status = refusal?.status ?? (method === 'DELETE' ? 204 : 200)
    this.answered.push(
      `${method} ${url} ${status}${refusal === undefined ? '' : ` ${refusal.code}`}`,
    )
    if (refusal === undefined) this.#perform(method, url, object)
    const body = refusal === undefined ? '' : `<Error><Code>${refusal.code}</Code></Error>`
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body)
  }

  /** Serves a GET with a signed header: the whole object or one range. */
  #serveSigned(url: string, { headers }: IncomingMessage, response: ServerResponse): void {
    const object = this.objects.get(decodeURIComponent(url.slice(`/${BUCKET}/`.length)))
    const answer = (status: number, body: Buffer | string, more: Record<string, string> = {}) => {
      this.answered.push(`GET ${url} ${status}`)
      response.writeHead(status, more).end(body)
    }
    if (object === undefined) {
      answer(404, '<Error><Code>NoSuchKey</Code></Error>')
      return
    }
    const { bytes } = object
    const etag = `"${sha256(bytes).slice(0, 32)}"`
    if ((headers['if-match'] ?? etag) !== etag) {
      answer(412, '<Error><Code>PreconditionFailed</Code></Error>')
      return
    }
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')
    if (range === null) answer(200, bytes, { etag })
    else if (Number(range[1]) >= bytes.length)
      answer(416, '<Error><Code>InvalidRange</Code></Error>')
    else answer(206, bytes.subarray(Number(range[1]), Number(range[2]) + 1), { etag })
  }

  /** Serves a GET with a presigned URL, until it expires. */
  #serve(url: string, request: IncomingMessage, response: ServerResponse): void {
    const [path = '', query = ''] = url.split('?')
    const given = new URLSearchParams(query)
    const object = this.objects.get(decodeURIComponent(path.slice(`/${BUCKET}/`.length)))
    const status = presignedStatus(path, given, request, object !== undefined)
    this.answered.push(`GET ${path} ${status}`)
    const type = given.get('response-content-type') ?? 'application/octet-stream'
    response.writeHead(status, { 'content-type': type }).end(status === 200 ? object?.bytes : '')
  }

  #perform(method: string, url: string, object: StoredObject): void {
    const name = url.slice(`/${BUCKET}/`.length)
    if (method === 'PUT') this.objects.set(name, object)
    else this.objects.delete(name)
  }
}

function presignedStatus(
  path: string,
  given: URLSearchParams,
  request: IncomingMessage,
  isThere: boolean,
): number {
  const [id, day = '', region = ''] = (given.get('X-Amz-Credential') ?? '').split('/')
  const signature = given.get('X-Amz-Signature')
  given.delete('X-Amz-Signature')
  const query = [...given]
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&')
  const time = given.get('X-Amz-Date') ?? ''
  const headers = { host: request.headers.host, 'x-amz-date': time }
  const signed = { method: 'GET', url: `${path}?${query}`, headers }
  const facts = { day, region, names: 'host', bodyHash: 'UNSIGNED-PAYLOAD' }
  if (id !== STORE_KEY.id || signature !== signatureOf(signed, facts)) return 403
  const at = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Date.now() >= at + Number(given.get('X-Amz-Expires')) * 1_000) return 403
  return isThere ? 200 : 404
}

async function collect(request: IncomingMessage): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer) // a request without an encoding
  } catch {
    // The client was killed: no answer can be sent.
  }
  return chunks
}

function refusalOf(request: IncomingMessage, bytes: Buffer) {
  const { url = '', headers } = request
  if (!/^(GET|PUT|DELETE)$/.test(request.method ?? ''))
    return { status: 405, code: 'MethodNotAllowed' }
  if (!url.startsWith(`/${BUCKET}/`)) return { status: 404, code: 'NoSuchBucket' }
  const bodyHash = headers['x-amz-content-sha256']
  if (bodyHash !== sha256(bytes)) return { status: 400, code: 'XAmzContentSHA256Mismatch' }
  return signatureRefusal(request, sha256(bytes))
}

function signatureRefusal(request: IncomingMessage, bodyHash: string) {
  const parts = AUTHORIZATION.exec(request.headers.authorization ?? '')
  const [, id, day = '', region = '', names = '', signature] = parts ?? []
  if (id !== STORE_KEY.id) return { status: 403, code: 'InvalidAccessKeyId' }
  const expected = signatureOf(request, { day, region, names, bodyHash })
  if (everySigned(request, names) && signature === expected) return undefined
  return { status: 403, code: 'SignatureDoesNotMatch' }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]{64})$/

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex')

function everySigned({ headers }: IncomingMessage, names: string): boolean {
  const signed = names.split(';')
  return Object.keys(headers).every(
    (name) => !/^(host$|x-amz-)/.test(name) || signed.includes(name),
  )
}

function signatureOf(
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  {
    day,
    region,
    names,
    bodyHash,
  }: Readonly<Record<'day' | 'region' | 'names' | 'bodyHash', string>>,
): string {
  const [path = '', query = ''] = url.split('?')
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}`)
  const canonical = `${method}\n${path}\n${query}\n${lines.join('\n')}\n\n${names}\n${bodyHash}`
  const scope = `${day}/${region}/s3/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${scope}\n${sha256(canonical)}`
  const hmac = (key: Buffer | string, data: string) =>
    createHmac('sha256', key).update(data).digest()
  const dayKey = hmac(`AWS4${STORE_KEY.secret}`, day)
  return hmac(hmac(hmac(hmac(dayKey, region), 's3'), 'aws4_request'), text).toString('hex')
}
