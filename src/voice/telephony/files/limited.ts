import { Transform } from 'node:stream'

/** A stream that fails when more than so many bytes have gone through it. */
export function limited(maxBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > maxBytes) done(new Error('the file is too long'))
      else done(null, chunk)
    },
  })
}
