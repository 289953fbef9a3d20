/**
 * Hears recordings of an operator: every file of a folder that sox can read. A subfolder that is
 * named `person`, `machine` or `fax` tells what its files are.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { RIGHT } from './clip.js'
import { detect } from './trials.js'

const READABLE = /\.(wav|flac|ogg|oga|gsm|au|al|ul|aiff?|raw|sln|mp3)$/iu
const TELEPHONE = ['-r', '8000', '-c', '1', '-b', '16', '-e', 'signed', '-t', 'raw', '-'] as const
const LABELS = ['person', 'machine', 'fax'] as const
/** What the detector hears after the end of a file. */
const SILENCE_SAMPLES = 8 * 6000

/** Returns a table of the files with their verdicts, and how many of the labelled ones are right. */
export function hearFolder(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => READABLE.test(name) && statSync(join(folder, name)).isFile())
    .toSorted()
  if (names.length === 0) return `${folder} holds no audio file that sox can read.`
  const right = new Map<string, { right: number; of: number }>()
  const lines = names.map((name) => {
    const audio = read(join(folder, name))
    const enable = detect(audio, 'enable')
    const end = detect(audio, 'detect-message-end')
    const label = LABELS.find((one) => name.split(sep).includes(one))
    if (label !== undefined) {
      const count = right.get(label) ?? { right: 0, of: 0 }
      const isRight = RIGHT[label].includes(enable.answeredBy)
      right.set(label, { right: count.right + (isRight ? 1 : 0), of: count.of + 1 })
    }
    return `| ${name} | ${enable.answeredBy} | ${enable.atMs} | ${end.answeredBy} | ${end.atMs} |`
  })
  const sums = [...right].map(([label, count]) => `${label}: ${count.right} of ${count.of} right`)
  return [
    '| file | Enable | after ms | DetectMessageEnd | after ms |',
    '|---|---|---:|---|---:|',
    ...lines,
    '',
    ...sums,
  ].join('\n')
}

function read(file: string): Int16Array {
  const bytes = execFileSync('sox', [file, ...TELEPHONE], {
    maxBuffer: 256_000_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const audio = new Int16Array((bytes.length >> 1) + SILENCE_SAMPLES)
  for (let i = 0; 2 * i + 1 < bytes.length; i++) audio[i] = bytes.readInt16LE(2 * i)
  return audio
}
