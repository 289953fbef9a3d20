/** Writes an archive of files in the ustar format (POSIX.1-1988, pax(1)). */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

export interface TarEntry {
  /** The name in the archive: at most 100 plain characters. */
  readonly name: string
  readonly path: string
}

const BLOCK = 512
const MODE = '0000644\0'

/** Yields the archive in pieces, each file read as it is needed. `at` is the time in all headers. */
export async function* tarOf(entries: readonly TarEntry[], at: number): AsyncGenerator<Buffer> {
  for (const { name, path } of entries) {
    const { size } = await stat(path)
    yield headerOf(name, size, at)
    // A stream without an encoding. Never more than the header says.
    if (size > 0)
      for await (const chunk of createReadStream(path, { end: size - 1 })) yield chunk as Buffer
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function headerOf(name: string, size: number, at: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, 100, 'utf8')
  header.write(MODE, 100)
  header.write('0000000\0'.repeat(2), 108) // the owner and the group
  header.write(`${octal(size, 11)}\0`, 124)
  header.write(`${octal(Math.floor(at / 1_000), 11)}\0`, 136)
  header.write(' '.repeat(8), 148) // the checksum counts as spaces while it is computed
  header.write('0', 156) // a regular file
  header.write('ustar\0' + '00', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}
