import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '../../src/platform/async/sleep.js'
import { type BenchServer, describeTick, type ServerLoad, watchLoad } from './bench-server.js'
import { startChild } from './child.js'
import { type Figure, generatorProblem, percent } from './figure.js'
import { describePercentiles, type Percentiles, percentilesOf } from './percentiles.js'
import type { StreamBankCommand, StreamBankReport } from './streams/stream-bank.js'

export interface RecordingPlan {
  /** The number of calls at once, each recorded with two channels and streamed. */
  readonly calls: number
  readonly callsPerSecond: number
  readonly holdSeconds: number
}

interface Where {
  readonly number: string
  readonly appUrl: string
  /** The folder that the server records into. */
  readonly folder: string
}

interface Held extends ServerLoad {
  readonly problem: string | undefined
  readonly sent: number
  readonly lost: number
  readonly frame: Percentiles
}

/** The tone that a recording holds. */
interface PlayedTone {
  /** The time from the first to the last block that holds the tone. */
  readonly ms: number
  /** The number of 20 ms blocks in between that do not hold the tone. */
  readonly gaps: number
}

const IDLE_LIMIT_MS = 15_000
const FILES_LIMIT_MS = 15_000
const RATE = 8_000
const BLOCK = RATE / 50
const HEADER_BYTES = 44
/** The threshold of the tone: far below the tone, far above what a codec makes of silence. */
const LOUD = 2_000

/**
 * Measures calls that hear a tone, are recorded with two channels, and are streamed to a websocket
 * server.
 */
export async function measureRecordings(
  server: BenchServer,
  where: Where,
  plan: RecordingPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const earlier = recordingsIn(where.folder)
  const held = await hold(server, where, plan)
  await server.untilIdle(IDLE_LIMIT_MS)
  const isNew = (name: string) => !earlier.includes(name)
  const files = await untilThere(plan.calls, () => recordingsIn(where.folder).filter(isNew))
  const tones = files.map((name) => playedTone(readFileSync(join(where.folder, name))))
  const text = describe(held, tones, plan)
  say(text)
  return figuresOf(held, tones, plan, text)
}

async function hold(
  server: BenchServer,
  { number, appUrl }: Where,
  { calls, callsPerSecond, holdSeconds }: RecordingPlan,
): Promise<Held> {
  await using bank = startChild<StreamBankCommand, StreamBankReport>('./streams/stream-bank.ts')
  const { port } = await bank.ask({ type: 'listen' })
  await server.assignNumber(number, `${appUrl}/record/${port}`)
  const { sipPort } = server
  const { problem } = await bank.ask({ type: 'connect', sipPort, number, calls, callsPerSecond })
  const watched = await watchLoad(server, bank)
  const { frameMs, sent, lost } = await bank.ask({ type: 'hold', seconds: holdSeconds })
  const load = await watched.read()
  await bank.ask({ type: 'hang-up' })
  return {
    problem,
    sent,
    lost,
    frame: percentilesOf(frameMs),
    ...load,
  }
}

function figuresOf(
  held: Held,
  tones: readonly PlayedTone[],
  { calls }: RecordingPlan,
  detail: string,
): readonly Figure[] {
  const invalid = held.problem ?? generatorProblem('both ends', held.cores.generator)
  const rest = { detail, invalid }
  const at = `${calls} dual recordings and streams`
  const { server, media } = held.cores
  const missing = calls - tones.length
  return [
    {
      name: `tick late, ${at}, p95`,
      value: held.tickMs.p95,
      unit: 'ms',
      target: { atMost: 5 },
      ...rest,
    },
    {
      name: `gaps in the files of ${at}`,
      value: gapsIn(tones) + missing,
      unit: 'of 20 ms',
      target: { atMost: 0 },
      ...rest,
      detail: `and ${missing} files that are missing`,
    },
    {
      name: `RTP in → websocket frame out, ${at}, p95`,
      value: held.frame.p95,
      unit: 'ms',
      target: { atMost: 10 },
      ...rest,
      detail: `${describePercentiles(held.frame)}; ${held.lost} of ${held.sent} lost`,
    },
    {
      name: `processor for one of ${at}`,
      value: (100 * (server + media)) / calls,
      unit: '% of a core',
      ...rest,
      detail: 'server and lab together',
    },
  ]
}

function describe(
  { problem, sent, lost, frame, tickMs, cores, residentMb }: Held,
  tones: readonly PlayedTone[],
  { calls }: RecordingPlan,
): string {
  const trouble = problem === undefined ? '' : ` (${problem})`
  const shortest = Math.min(...tones.map(({ ms }) => ms)) / 1_000
  return `${calls} calls${trouble}: ${tones.length} files of at least ${shortest.toFixed(1)} s, ${gapsIn(tones)} gaps; ${describeTick(tickMs)}; frames ${describePercentiles(frame)}, ${lost} of ${sent} lost; lab ${percent(cores.media)}, server ${percent(cores.server)}, both ends ${percent(cores.generator)} of a core; server ${residentMb.toFixed(0)} MB`
}

function gapsIn(tones: readonly PlayedTone[]): number {
  return tones.reduce((sum, { gaps }) => sum + gaps, 0)
}

/** The finished recordings in a folder: unfinished parts have a number behind a dash. */
function recordingsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^RE\w+\.wav$/.test(name))
  } catch (error) {
    // The first recording makes it.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function untilThere(
  count: number,
  read: () => readonly string[],
): Promise<readonly string[]> {
  const end = performance.now() + FILES_LIMIT_MS
  while (read().length < count && performance.now() < end) await pause(100)
  return read()
}

/** Finds the tone in the channel that has it. */
export function playedTone(wav: Buffer): PlayedTone {
  const channels = wav.readUInt16LE(22)
  const tones = Array.from({ length: channels }, (_, channel) => toneOf(wav, channels, channel))
  return tones.reduce((best, tone) => (tone.ms > best.ms ? tone : best))
}

function toneOf(wav: Buffer, channels: number, channel: number): PlayedTone {
  const samples = (wav.length - HEADER_BYTES) / (2 * channels)
  const loud = Array.from({ length: Math.floor(samples / BLOCK) }, (_, block) => {
    for (let index = block * BLOCK; index < (block + 1) * BLOCK; index += 1)
      if (wav.readInt16LE(HEADER_BYTES + 2 * (index * channels + channel)) > LOUD) return true
    return false
  })
  const first = loud.indexOf(true)
  if (first < 0) return { ms: 0, gaps: 0 }
  const heard = loud.slice(first, loud.lastIndexOf(true) + 1)
  return { ms: 20 * heard.length, gaps: heard.filter((isLoud) => !isLoud).length }
}
