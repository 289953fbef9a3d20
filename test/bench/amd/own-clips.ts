/**
 * Hears recordings of an operator: every file of a folder that sox can read. A subfolder that is
 * named `person`, `machine` or `fax` tells what its files are.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { RIGHT } from './clip.js'
import { detect } from './trials.js'

const READABLE = /\.(wav|flac|ogg|oga|gsm|au|al|ul|aiff?|raw|sln|mp3)$/iu
const TELEPHONE = ['-r', '8000', '-c', '1', '-b', '16', '-e', 'signed', '-t', 'raw', '-'] as const
const LABELS = ['person', 'machine', 'fax'] as const
const MOST_BYTES = 256_000_000
/** What the detector hears after the end of a file. */
const SILENCE_SAMPLES = 8 * 6000

/** The samples of a file at 8 kHz, with what sox warned of; or why it cannot be read. */
export type Decoded =
  | { readonly samples: Int16Array; readonly warning: string | undefined }
  | { readonly failure: string }

export interface HeardFolder {
  /** The verdicts as a table, how many of the labelled ones are right, and what could not be read. */
  readonly text: string
  readonly unreadable: number
}

/** Hears all files. Throws when there are none. */
export function hearFolder(
  folder: string,
  decode: (file: string) => Decoded = decodeWithSox,
): HeardFolder {
  const names = audioFilesOf(folder)
  const right = new Map<string, { right: number; of: number }>()
  const lines: string[] = []
  const remarks: string[] = []
  let unreadable = 0
  for (const name of names) {
    const decoded = decode(join(folder, name))
    if ('failure' in decoded) {
      unreadable++
      remarks.push(`${name} was not heard: ${decoded.failure}`)
      continue
    }
    if (decoded.warning !== undefined) remarks.push(`${name}: ${decoded.warning}`)
    const audio = new Int16Array(decoded.samples.length + SILENCE_SAMPLES)
    audio.set(decoded.samples)
    const enable = detect(audio, 'enable')
    const end = detect(audio, 'detect-message-end')
    const label = LABELS.find((one) => name.split(sep).slice(0, -1).includes(one))
    if (label !== undefined) {
      const count = right.get(label) ?? { right: 0, of: 0 }
      const isRight = RIGHT[label].includes(enable.answeredBy)
      right.set(label, { right: count.right + (isRight ? 1 : 0), of: count.of + 1 })
    }
    lines.push(
      `| ${name} | ${enable.answeredBy} | ${enable.atMs} | ${end.answeredBy} | ${end.atMs} |`,
    )
  }
  const sums = [...right].map(([label, count]) => `${label}: ${count.right} of ${count.of} right`)
  const table = [
    '| file | Enable | after ms | DetectMessageEnd | after ms |',
    '|---|---|---:|---|---:|',
    ...lines,
  ]
  const text = [table, sums, remarks].filter((one) => one.length > 0).map((one) => one.join('\n'))
  return { text: text.join('\n\n'), unreadable }
}

function audioFilesOf(folder: string): string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new Error(`${folder} is not a folder`)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => READABLE.test(name) && statSync(join(folder, name)).isFile())
    .toSorted()
  if (names.length === 0) throw new Error(`${folder} holds no audio file that sox can read`)
  return names
}

/** Reads a file of any rate and any number of channels, which are mixed. */
function decodeWithSox(file: string): Decoded {
  const { stdout, stderr, status, error } = spawnSync('sox', [file, ...TELEPHONE], {
    maxBuffer: MOST_BYTES,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = sayingOf(stderr, file)
  if (error !== undefined && 'code' in error && error.code === 'ENOBUFS')
    return { failure: 'it is longer than four hours' }
  if (error !== undefined) return { failure: error.message }
  if (status !== 0) return { failure: said ?? `sox ended with ${status}` }
  if (stdout.length < 2) return { failure: 'it holds no sound' }
  const samples = new Int16Array(stdout.length >> 1)
  for (let i = 0; i < samples.length; i++) samples[i] = stdout.readInt16LE(2 * i)
  return { samples, warning: said }
}

/** The last thing that sox said, without its name and the folder. */
function sayingOf(stderr: Buffer, file: string): string | undefined {
  const last = stderr.toString('utf8').trim().split('\n').at(-1) ?? ''
  const said = last.replace(/^sox \w+ /u, '').replaceAll(file, basename(file))
  return said === '' ? undefined : said
}
