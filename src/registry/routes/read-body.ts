import { refuse } from '../model/registry-error.js'

/** Reads at most `max` bytes and stops there; `onTooMuch` is thrown. */
export async function readBytes(
  request: Request,
  max: number,
  onTooMuch: () => Error,
): Promise<Buffer> {
  const declared = Number(request.headers.get('content-length') ?? '0')
  if (declared > max) throw onTooMuch()
  const chunks: Uint8Array[] = []
  let total = 0
  if (request.body === null) return Buffer.alloc(0)
  const body: ReadableStream<Uint8Array> = request.body
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return Buffer.concat(chunks)
      total += value.byteLength
      if (total > max) throw onTooMuch()
      chunks.push(value)
    }
  } finally {
    // Of no use any more, whether it ended or not.
    await reader.cancel().catch(() => undefined) // the request's own failure was thrown above
  }
}

const MAX_JSON_BYTES = 256 * 1024

export async function readJson(request: Request): Promise<unknown> {
  const tooMuch = () => refuse(501, ['body'], `the body is larger than ${MAX_JSON_BYTES} bytes`)
  const text = (await readBytes(request, MAX_JSON_BYTES, tooMuch)).toString('utf8')
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse(501, ['body'], 'the body is not JSON')
    throw error
  }
}
