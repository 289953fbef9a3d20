/**
 * `npm run bench:amd`: measures how well and how fast the answering-machine detector judges a
 * labelled set that is made here, next to a plain fixed-threshold detector on the same clips. It
 * prints the figures as they are and writes bench-results/amd-<date>.json; with `--doc` it writes
 * docs/amd.md too.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { documentOf } from './bench-amd/document.js'
import { measureFrameCost } from './bench-amd/frame-cost.js'
import { reportOf } from './bench-amd/report.js'
import { type Score, score } from './bench-amd/score.js'
import type { ClipSet } from './bench-amd/sets/clip-set.js'
import { FROZEN_SET } from './bench-amd/sets/frozen-set.js'
import { TUNING_SET } from './bench-amd/sets/tuning-set.js'
import { Speech } from './bench-amd/speech.js'
import { runTrials } from './bench-amd/trials.js'

const HELP = `npm run bench:amd -- [options]

  --set tuning|frozen|both   which part (default frozen); constants may be tuned on "tuning" only
  --doc                      write docs/amd.md from the frozen part
  --clips FOLDER             where spoken sentences are kept (default bench-results/amd-clips)
  --help

Needs espeak-ng, flite and sox, which the command installs on Debian. The first run speaks about a
minute, later ones take what is kept.
`
const RESULTS = 'bench-results'

export interface Result {
  readonly set: ClipSet['name']
  readonly manifest: string
  readonly score: Score
}

async function bench(
  sets: readonly ClipSet[],
  clips: string,
  isDocumented: boolean,
): Promise<void> {
  const startedAt = performance.now()
  const speech = new Speech(clips)
  const results: Result[] = []
  for (const set of sets) {
    say(`· ${set.name} part`)
    const trials = await runTrials(set, speech, progress)
    const result = { set: set.name, manifest: manifestOf(set), score: score(trials) }
    results.push(result)
    say(`\n## ${set.name} part (${result.manifest})\n\n${reportOf(result.score)}\n`)
  }
  const frameMicros = measureFrameCost()
  say(
    `${frameMicros.toFixed(1)} µs for a frame of 20 ms (${(frameMicros / 200).toFixed(3)} % of a core)`,
  )
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.version}`
  const file = keep({ at: new Date().toISOString(), machine, frameMicros, results })
  const frozen = results.find((one) => one.set === 'frozen')
  if (isDocumented && frozen !== undefined) {
    const { manifest, score: figures } = frozen
    writeFileSync(
      resolve('docs/amd.md'),
      documentOf({ manifest, score: figures, frameMicros, machine }),
    )
  }
  say(`${((performance.now() - startedAt) / 1000).toFixed(0)} s; ${file}`)
}

/** A digest of a set, which tells whether a voice, a text or the seed of the set was changed. */
function manifestOf(set: ClipSet): string {
  return createHash('sha256').update(JSON.stringify(set)).digest('hex').slice(0, 16)
}

function keep(result: object): string {
  mkdirSync(resolve(RESULTS), { recursive: true })
  const date = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
  const file = resolve(RESULTS, `amd-${date}.json`)
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`)
  return file
}

function setsNamed(name: string): readonly ClipSet[] {
  if (name === 'tuning') return [TUNING_SET]
  if (name === 'frozen') return [FROZEN_SET]
  if (name === 'both') return [TUNING_SET, FROZEN_SET]
  throw new Error(`--set knows tuning, frozen and both, not "${name}"`)
}

function progress(text: string): void {
  process.stderr.write(`  ${text}\n`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  const { values } = parseArgs({
    options: {
      set: { type: 'string', default: 'frozen' },
      doc: { type: 'boolean', default: false },
      clips: { type: 'string', default: join(RESULTS, 'amd-clips') },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) say(HELP)
  else await bench(setsNamed(values.set), resolve(values.clips), values.doc)
} catch (error) {
  process.stderr.write(
    `the benchmark did not end: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  process.exitCode = 1
}
