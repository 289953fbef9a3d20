/**
 * `npm run bench:amd`: measures how well and how fast the answering-machine detector judges a
 * labelled set that is made here, next to a plain fixed-threshold detector on the same clips. It
 * prints the figures as they are and writes bench-results/amd-<date>.json; with `--doc` it writes
 * docs/amd.md too.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BEEP_LAYERS } from '../../../src/voice/amd/detector/beep-network.js'
import { VOICE_LAYERS } from '../../../src/voice/amd/detector/voice.js'
import { beepExamplesOf } from './beep-examples.js'
import { clipListOf, trainingClipsOf } from './clip-list.js'
import { spokenOf } from './clips.js'
import { documentOf } from './document.js'
import { measureFrameCost } from './frame-cost.js'
import { isCommitted, manifestOf } from './manifest.js'
import { missesOf } from './misses.js'
import { hearFolder } from './own-clips.js'
import { createRandom } from './random.js'
import { Recordings } from './recordings.js'
import { reportOf } from './report.js'
import { type Score, score } from './score.js'
import type { ClipSet } from './sets/clip-set.js'
import { FROZEN_SET } from './sets/frozen-set.js'
import { TRAINING_VOICES } from './sets/training-voices.js'
import { TUNING_SET } from './sets/tuning-set.js'
import { type Samples, Speech } from './speech.js'
import { train, writeWeights } from './train.js'
import { examplesOf } from './train-examples.js'
import { runTrials } from './trials.js'

const HELP = `npm run bench:amd -- [options]

  --set tuning|frozen|both   which part (default frozen); constants may be tuned on "tuning" only
  --doc                      write docs/amd.md from the frozen part
  --train                    trains the voice network on the tuning part and on more recorded voices,
                             writes its weights and ends
  --train-beeps              the same for the network that tells beeps from other tones; it
                             judges with the voice network, so train that one first;
                             it takes about 20 minutes
  --clips FOLDER             hears recordings of your own instead, and prints their verdicts
  --every N                  hears each N-th clip only (default 1)
  --cache FOLDER             where sentences and recordings are kept
                             (default ~/.cache/trunkline/amd)
  --help

Needs espeak-ng, flite and sox, which the command installs on Debian. Recorded speech, music and
sounds come from Debian packages, which are unpacked into the cache and not installed (0.4 GB, and
0.3 GB more for --train and --train-beeps). The first run takes about five minutes longer.
`
const RESULTS = 'bench-results'
const VOICE_WEIGHTS = {
  file: resolve('src/voice/amd/detector/voice-weights.ts'),
  constant: 'VOICE_WEIGHTS',
  title: 'voice network',
  option: '--train',
}
const BEEP_WEIGHTS = {
  file: resolve('src/voice/amd/detector/beep-weights.ts'),
  constant: 'BEEP_WEIGHTS',
  title: 'beep network',
  option: '--train-beeps',
}
/** To take noise for talk is worse than to miss a frame of talk. */
const VOICE_TRAINING = { seed: TUNING_SET.seed + 2, rounds: 6, unlikelyWeight: 1.5 }
const BEEP_TRAINING = { seed: TUNING_SET.seed, rounds: 30, unlikelyWeight: 1 }
const SPOKEN_GROUP = 8

interface Sources {
  readonly speech: Speech
  readonly recordings: Recordings
}
const CACHE = join(homedir(), '.cache/trunkline/amd')

interface Result {
  readonly set: ClipSet['name']
  readonly manifest: string
  readonly misses: string
  readonly score: Score
}

async function trainOn(cache: string, network: 'voice' | 'beeps'): Promise<void> {
  const sources = { speech: new Speech(join(cache, 'spoken')), recordings: new Recordings(cache) }
  const list = await clipListOf(TUNING_SET, sources, progress)
  const { seed } = TUNING_SET
  if (network === 'voice') {
    const more = await trainingClipsOf(TRAINING_VOICES, sources.recordings, createRandom(seed + 1))
    const training = { units: VOICE_LAYERS, ...VOICE_TRAINING }
    writeWeights(train(training, examplesOf(seed, list, more, progress), progress), VOICE_WEIGHTS)
    say(`wrote ${VOICE_WEIGHTS.file}`)
    return
  }
  const training = { units: BEEP_LAYERS, ...BEEP_TRAINING }
  const voices = await voicesOf(sources)
  const examples = beepExamplesOf(voices, list.background, progress)
  writeWeights(train(training, examples, progress), BEEP_WEIGHTS)
  say(`wrote ${BEEP_WEIGHTS.file}`)
}

/** The recordings of each recorded voice, and the spoken sentences in groups as large as a voice. */
async function voicesOf({ speech, recordings }: Sources): Promise<readonly (readonly Samples[])[]> {
  const voices: Samples[][] = []
  for (const one of [...TUNING_SET.recorded, ...TRAINING_VOICES])
    voices.push((await recordings.read(one)).map((recording) => recording.samples))
  const spoken = spokenOf(TUNING_SET, createRandom(TUNING_SET.seed))
    .filter((one) => one.kind === 'machine')
    .map((one) => speech.read(one.sentence))
  for (let at = 0; at < spoken.length; at += SPOKEN_GROUP)
    voices.push(spoken.slice(at, at + SPOKEN_GROUP))
  return voices
}

function hearOwn(folder: string): void {
  const { text, unreadable } = hearFolder(folder)
  say(text)
  if (unreadable > 0) process.exitCode = 1
}

interface Options {
  readonly sets: readonly ClipSet[]
  readonly cache: string
  readonly every: number
  readonly isDocumented: boolean
}

async function bench({ sets, cache, every, isDocumented }: Options): Promise<void> {
  const startedAt = performance.now()
  const sources = { speech: new Speech(join(cache, 'spoken')), recordings: new Recordings(cache) }
  const results: Result[] = []
  for (const set of sets) {
    say(`· ${set.name} part`)
    const list = await clipListOf(set, sources, progress)
    const manifest = manifestOf(set, list.clips)
    if (set.name === 'frozen' && !isCommitted(manifest))
      say(`The frozen part is not the committed one (other packages?): ${JSON.stringify(manifest)}`)
    const trials = runTrials(set.seed, list, progress, every)
    const misses = missesOf(trials)
    const result = { set: set.name, manifest: manifest.audio, misses, score: score(trials) }
    results.push(result)
    say(misses)
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
    const { manifest, misses, score: figures } = frozen
    writeFileSync(
      resolve('docs/amd.md'),
      documentOf({ manifest, every, score: figures, misses, frameMicros, machine }),
    )
  }
  say(`${((performance.now() - startedAt) / 1000).toFixed(0)} s; ${file}`)
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
      clips: { type: 'string' },
      train: { type: 'boolean', default: false },
      'train-beeps': { type: 'boolean', default: false },
      every: { type: 'string', default: '1' },
      cache: { type: 'string', default: CACHE },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) say(HELP)
  else if (values.clips !== undefined) hearOwn(resolve(values.clips))
  else if (values.train) await trainOn(resolve(values.cache), 'voice')
  else if (values['train-beeps']) await trainOn(resolve(values.cache), 'beeps')
  else
    await bench({
      sets: setsNamed(values.set),
      cache: resolve(values.cache),
      every: Math.max(1, Number(values.every) || 1),
      isDocumented: values.doc,
    })
} catch (error) {
  process.stderr.write(
    `the benchmark did not end: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  process.exitCode = 1
}
