import { refuse } from '../registry-error.js'
import { boundaryOf, type FilePart, findFilePart } from '../rules/multipart.js'
import { readBytes } from './read-body.js'

/** What a multipart body has besides the file. */
const OVERHEAD = 64 * 1024
/** Uploads that are in memory at the same time; more are told to come back. */
const MAX_UPLOADS = 8

/** Reads the `file` of a multipart request, never more than its limit. */
export function createUploadReader(maxBytes: number): (request: Request) => Promise<FilePart> {
  let running = 0
  const tooBig = () => refuse(544, ['file'], `a file has at most ${maxBytes} bytes`)
  return async (request) => {
    const boundary = boundaryOf(request.headers.get('content-type') ?? '')
    if (boundary === undefined)
      throw refuse(501, ['file'], 'the body must be multipart/form-data with a boundary')
    if (running >= MAX_UPLOADS) throw refuse(591, [], 'too many uploads at the same time')
    running += 1
    try {
      const body = await readBytes(request, maxBytes + OVERHEAD, tooBig)
      const found = findFilePart(body, boundary)
      if (found.type === 'broken') throw refuse(501, ['file'], found.why)
      if (found.file.bytes.length > maxBytes) throw tooBig()
      return found.file
    } finally {
      running -= 1
    }
  }
}
