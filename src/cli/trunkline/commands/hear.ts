import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { readConfig } from '../../../config.js'
import { WAV_HEAD_BYTES } from '../../../platform/audio/wav-head.js'
import { systemClock } from '../../../platform/clock.js'
import { createOutbound } from '../../../platform/http/outbound.js'
import { createLogger } from '../../../platform/log.js'
import { audioFormat } from '../../../voice/audio/audio-format.js'
import { toTelephoneWav } from '../../../voice/audio/to-telephone.js'
import { createOpenaiEngine } from '../../../voice/recognition/openai-engine.js'
import { Recognition, type RecognitionEvent } from '../../../voice/recognition/recognition.js'
import { addressPolicy } from '../../../wiring/base.js'
import { acting, type Context } from '../context.js'
import { FailedError, type Surroundings, UsageError } from '../surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline hear hello.wav                       what the recogniser of RECOGNISER_URL understands
  $ trunkline hear hello.wav --language de-DE --hints 'Kontostand, Rechnung'
  $ trunkline hear hello.wav --json | jq .text

The file is heard as a call would carry it: 8 kHz, one channel. WAV, MP3, AIFF, AU and GSM are read.`

const MAX_AUDIO_MS = 3_600_000
const BLOCK_SAMPLES = 8_000

interface HearFlags {
  readonly language?: string
  readonly hints?: string
}

export function addHear(program: Command, around: Surroundings): void {
  const hear = program
    .command('hear')
    .description('Tries the recogniser: prints what it understands of an audio file.')
    .argument('<file>', 'the audio file')
    .option('--language <tag>', 'the language that is spoken, such as en-US')
    .option('--hints <words>', 'words and phrases that are likely, with commas between them')
    .addHelpText('after', EXAMPLES)
  acting<HearFlags>(hear, around, async (context, file = '') => {
    const failures = await hearFile(file, context)
    if (failures > 0) throw new FailedError('')
  })
}

/** Returns the number of utterances that the recogniser failed at. */
async function hearFile(file: string, context: Context<HearFlags>): Promise<number> {
  const config = readConfig(context.env)
  const { recogniser } = config
  if (recogniser === undefined)
    throw new UsageError('RECOGNISER_URL is not set: it names the recogniser that is tried')
  const samples = await readSamples(file)
  const policy = addressPolicy(config, [config.admin])
  const log = createLogger('silent')
  await using outbound = createOutbound({ policy, clock: systemClock, log })
  const engine = createOpenaiEngine({ ...recogniser, outbound })
  const { language, hints } = context.flags
  const params = { language, hints: hints?.split(',').map((hint) => hint.trim()) }
  let utterances = 0
  let failures = 0
  using recognition = new Recognition(engine, params, (event) => {
    if (event.type === 'speech-began') utterances++
    if (event.type === 'failed') failures++
    show(event, context)
  })
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
    recognition.push(samples.subarray(at, at + BLOCK_SAMPLES))
    // A file is read faster than the engine hears it.
    await recognition.settled()
  }
  await recognition.end()
  if (utterances === 0) throw new FailedError(`no speech was found in ${file}`)
  return failures
}

async function readSamples(file: string): Promise<Int16Array> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be read`, { cause })
  })
  const format = audioFormat('', bytes)
  if (format === undefined) throw new UsageError(`${file} is no audio file that can be read`)
  const wav = await toTelephoneWav(bytes, format, MAX_AUDIO_MS)
  return new Int16Array(wav.buffer, wav.byteOffset + WAV_HEAD_BYTES)
}

function show(event: RecognitionEvent, { isJson, print, complain }: Context<HearFlags>): void {
  if (event.type === 'failed') complain(event.error.message)
  else if (isJson) print(JSON.stringify(event))
  else print(lineOf(event))
}

function lineOf(event: Exclude<RecognitionEvent, { type: 'failed' }>): string {
  if (event.type !== 'final') {
    const seconds = (event.atMs / 1000).toFixed(2).padStart(8)
    return `${seconds} s  ${event.type === 'speech-began' ? 'speech began' : 'speech ended'}`
  }
  const { text, confidence } = event
  const sure = confidence === undefined ? '' : ` (confidence ${confidence.toFixed(2)})`
  return text === '' ? 'no words' : `said “${text}”${sure}`
}
