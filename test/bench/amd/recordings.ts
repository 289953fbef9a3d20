/** Reads recorded files of Debian packages as telephone audio; the decoded audio is cached. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpacked } from './packages.js'
import type { RecordedFiles } from './sets/clip-set.js'
import type { Samples } from './speech.js'

const run = promisify(execFile)
const DECODE_TIMEOUT_MS = 60_000
const LONGEST_SECONDS = 90
const TELEPHONE = ['-r', '8000', '-c', '1', '-b', '16', '-e', 'signed', '-t', 'raw'] as const

export interface Recording {
  /** Package and file, to name a clip by. */
  readonly name: string
  readonly samples: Samples
}

export class Recordings {
  readonly #cache: string

  constructor(cache: string) {
    this.#cache = cache
    mkdirSync(join(cache, 'decoded'), { recursive: true })
  }

  /**
   * Reads at most `files.most` of the files, chosen by a digest of their names, so that the choice
   * depends on nothing but the package.
   */
  async read(files: RecordedFiles): Promise<readonly Recording[]> {
    const folder = await unpacked(files.package, this.#cache)
    const wanted = new RegExp(files.names, 'u')
    const names = readdirSync(join(folder, files.folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => wanted.test(name) && existsSync(join(folder, files.folder, name)))
      .toSorted((a, b) => digestOf(a).localeCompare(digestOf(b)))
      .slice(0, files.most)
    const recordings: Recording[] = []
    for (const name of names) {
      const samples = await this.#decode(join(folder, files.folder, name), files.headless)
      if (samples.length > 0) recordings.push({ name: `${files.package}:${name}`, samples })
    }
    return recordings
  }

  async #decode(source: string, headless: RecordedFiles['headless']): Promise<Samples> {
    const digest = digestOf(decoding(source, '', headless).join(' '))
    const file = join(this.#cache, 'decoded', `${digest}.raw`)
    if (!existsSync(file)) {
      const part = `${file}.${process.pid}`
      await run('sox', decoding(source, part, headless), { timeout: DECODE_TIMEOUT_MS })
      renameSync(part, file)
    }
    const bytes = readFileSync(file)
    return Float64Array.from(
      { length: bytes.length >> 1 },
      (_, i) => bytes.readInt16LE(2 * i) / 32_768,
    )
  }
}

/**
 * The arguments for sox. Only the telephone's band is kept, as with the sentences that are spoken
 * here. `-D` leaves out the dither, which would be another one in each cache.
 */
function decoding(
  source: string,
  to: string,
  headless: RecordedFiles['headless'] | undefined,
): string[] {
  const coding =
    headless === undefined ? [] : ['-t', headless.type, '-r', `${headless.hz}`, '-c', '1']
  const cut = ['remix', '-', 'trim', '0', String(LONGEST_SECONDS)]
  const band = ['highpass', '200', 'lowpass', '3500']
  return ['-D', ...coding, source, ...TELEPHONE, to, 'gain', '-6', ...cut, ...band]
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}
