import type { ForkRequest } from '../../media/model/audio-fork.js'
import type { Channel } from '../channel/channel.js'
import type { Forks } from '../channel/forks.js'
import { separate } from '../protocol/separate.js'
import { type ApiCommand, splitWords } from './api-command.js'

const USAGE =
  '-USAGE: <uuid> [start | stop | send_text | pause | resume | graceful-shutdown | stop_play ] [wss-url | path] [mono | mixed | stereo] [8000 | 16000 | 24000 | 32000 | 64000] [bugname] [metadata] [bidirectionalAudio_enabled] [bidirectionalAudio_stream_enabled] [bidirectionalAudio_stream_samplerate]\n'
const SUCCESS = '+OK Success\n'
const FAILED = '-ERR Operation Failed\n'
/** The name of a fork whose name argument is missing; an empty name argument is an empty name. */
const DEFAULT_NAME = 'audio_fork'
const MIXES: readonly string[] = ['mono', 'mixed', 'stereo'] satisfies ForkRequest['mix'][]
const MAX_RATE = 64_000

/**
 * `uuid_audio_fork`: starts, stops or changes a fork. `^^|` before the arguments makes `|` their delimiter,
 * so that an argument can be empty.
 */
export const uuidAudioFork: ApiCommand = (text, core) => {
  const args = text.startsWith('^^') ? separate(text.slice(3), text[2] ?? ' ') : splitWords(text)
  const [uuid = '', action = ''] = args
  if (action === '' || (action.toLowerCase() === 'start' && args.length < 4)) return USAGE
  const channel = core.channels.get(uuid)
  if (channel === undefined || channel.isDown) return FAILED
  const command = COMMANDS.get(action.toLowerCase())
  if (command === undefined) {
    core.log.error({ action, channel: uuid }, 'uuid_audio_fork does not know this action')
    return FAILED
  }
  return command(channel.work.forks, args.slice(2), channel) ? SUCCESS : FAILED
}

type ForkCommand = (forks: Forks, args: readonly string[], channel: Channel) => boolean

const COMMANDS: ReadonlyMap<string, ForkCommand> = new Map<string, ForkCommand>([
  ['start', start],
  ['stop', stop],
  ['send_text', sendText],
  ['pause', (forks, [name = DEFAULT_NAME]) => setPaused(forks, name, true)],
  ['resume', (forks, [name = DEFAULT_NAME]) => setPaused(forks, name, false)],
  [
    'graceful-shutdown',
    (forks, [name = DEFAULT_NAME]) => {
      forks.get(name)?.shutDownGracefully()
      return forks.get(name) !== undefined
    },
  ],
  [
    // The command takes no name: it clears only the fork with the default name.
    'stop_play',
    (forks) => {
      forks.get(DEFAULT_NAME)?.clearPlayout()
      return forks.get(DEFAULT_NAME) !== undefined
    },
  ],
])

function start(forks: Forks, args: readonly string[]): boolean {
  const [url = '', mix = '', rate = ''] = args
  const sampleRate = rate === '16k' ? 16_000 : rate === '8k' ? 8_000 : Number.parseInt(rate, 10)
  const isRate = sampleRate % 8_000 === 0 && sampleRate > 0 && sampleRate <= MAX_RATE
  if (!isMix(mix) || !isRate || !isWebsocketUrl(url)) return false
  const { name, metadata } = nameAndMetadata(args.slice(3))
  const playoutRate = playoutRateOf(args.slice(5))
  const playout = playoutRate === undefined ? {} : { playout: { sampleRate: playoutRate } }
  return forks.start(name, { url, mix, sampleRate, metadata, ...playout })
}

/**
 * Parses the name and the metadata. Two arguments are the name, which may be empty, and the metadata; a
 * single argument is metadata when it looks like JSON.
 */
function nameAndMetadata(args: readonly string[]): { name: string; metadata: string } {
  const [first, second] = args
  if (args.length >= 5) return { name: nonEmpty(first) ?? DEFAULT_NAME, metadata: second ?? '' }
  if (second !== undefined) return { name: first ?? '', metadata: second }
  if (first === undefined) return { name: DEFAULT_NAME, metadata: '' }
  return isJson(first) ? { name: DEFAULT_NAME, metadata: first } : { name: first, metadata: '' }
}

/**
 * Returns the sample rate of the returned audio from `enabled streaming rate`; undefined unless all three are
 * given.
 */
function playoutRateOf(args: readonly string[]): number | undefined {
  const [isEnabled, isStreaming, rate = ''] = args
  const sampleRate = Number.parseInt(rate, 10)
  const isWanted = isEnabled === 'true' && isStreaming === 'true' && sampleRate > 0
  return isWanted && sampleRate <= MAX_RATE ? sampleRate : undefined
}

function stop(forks: Forks, args: readonly string[]): boolean {
  const { name, text } = nameAndText(args)
  return forks.stop(name, text)
}

function sendText(forks: Forks, args: readonly string[]): boolean {
  const { name, text } = nameAndText(args)
  const fork = forks.get(name)
  if (fork === undefined || text === undefined) return false
  fork.sendText(text)
  return true
}

function nameAndText([first, second]: readonly string[]): {
  name: string
  text: string | undefined
} {
  if (second !== undefined) return { name: first ?? '', text: second }
  if (first !== undefined && !isJson(first)) return { name: first, text: undefined }
  return { name: DEFAULT_NAME, text: first }
}

function setPaused(forks: Forks, name: string, isPaused: boolean): boolean {
  const fork = forks.get(name)
  fork?.setPaused(isPaused)
  return fork !== undefined
}

function isJson(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[')
}

function isMix(text: string): text is ForkRequest['mix'] {
  return MIXES.includes(text)
}

function isWebsocketUrl(text: string): boolean {
  return URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol)
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
