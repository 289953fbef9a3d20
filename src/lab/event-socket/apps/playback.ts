import type { Digit } from '../channel/app-frame.js'
import type { AppContext, Application } from '../channel/application.js'
import type { HttpCache } from '../core/http-cache.js'
import { type PlayResult, playFiles } from './play-files.js'

const RESPONSES: Readonly<Record<PlayResult, string>> = {
  done: 'FILE PLAYED',
  break: 'FILE PLAYED',
  'not-found': 'FILE NOT FOUND',
  error: 'PLAYBACK ERROR',
}

/**
 * `playback path`, `path@@samples`, `tone_stream://…`, `silence_stream://ms`, or several separated by the
 * delimiter.
 */
export const playback: Application = {
  isPollable: true,
  holdsAudio: true,
  async run(context) {
    const { channel, arg } = context
    const at = arg.indexOf('@')
    const isOffset = at !== -1 && arg[at + 1] === '@'
    const text = isOffset ? arg.slice(0, at) : arg
    const offsetSamples = isOffset ? Number.parseInt(arg.slice(at + 2), 10) || 0 : 0
    const onDigit = digitTerminator(context)
    const result =
      text === '' ? 'error' : await playFiles(context, text, { offsetSamples, onDigit })
    channel.variables.set('current_application_response', RESPONSES[result])
  },
}

/**
 * Returns a digit handler that ends playing or recording on a digit of `playback_terminators` (default `*`).
 */
export function digitTerminator({ channel }: AppContext): (digit: Digit) => boolean {
  channel.variables.set('playback_terminator_used', undefined)
  return ({ digit }) => {
    const isTerminator = terminators(channel.variables.get('playback_terminators')).includes(digit)
    if (isTerminator) channel.variables.set('playback_terminator_used', digit)
    return isTerminator
  }
}

function terminators(value = '*'): string {
  if (value.toLowerCase() === 'any') return '1234567890*#'
  return value.toLowerCase() === 'none' ? '' : value
}

/** `playback` with mod_http_cache: also plays a file by URL. */
export function playbackFrom(httpCache: HttpCache): Application {
  return {
    ...playback,
    run: async (context) => {
      await playback.run({ ...context, arg: await httpCache.localise(context.arg) })
    },
  }
}
