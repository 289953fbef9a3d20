import type { AppContext, Application, AppTable } from '../channel/application.js'
import { separate } from '../protocol/separate.js'
import {
  answer,
  breakApp,
  echo,
  flushDtmf,
  hangup,
  logApp,
  park,
  queueDtmf,
  sendDtmf,
  setMediaStats,
  setMute,
  sleep,
  speak,
  startDtmf,
  startDtmfGenerate,
  stopDtmf,
  stopDtmfGenerate,
} from './brief-apps.js'
import { playAndGetDigits, read } from './play-and-get-digits.js'
import { playback } from './playback.js'
import { record } from './record.js'
import {
  maskRecordSession,
  recordSession,
  stopRecordSession,
  unmaskRecordSession,
} from './record-session.js'

const BRIEF = { isPollable: false, holdsAudio: false } as const

/**
 * `set name=value`; an empty value unsets the variable. The value is expanded again even if
 * `app_disable_expand_variables` is set, as in FreeSWITCH.
 */
const set: Application = {
  ...BRIEF,
  run(context) {
    assign(context, context.arg)
  },
}

/** `multiset a=1 b=2`, or `^^` and the character that separates the pairs: `^^^a=1^b=2`. */
const multiset: Application = {
  ...BRIEF,
  run(context) {
    const { arg } = context
    const isDelimited = arg.startsWith('^^') && arg.length > 2
    const pairs = isDelimited ? separate(arg.slice(3), arg[2] ?? ' ') : separate(arg, ' ')
    for (const pair of pairs) assign(context, pair)
  },
}

/** `export`: sets a variable without expanding its value, and adds its name to `export_vars`. */
const exportVariable: Application = {
  ...BRIEF,
  run(context) {
    const [name, value] = splitPair(context.arg, /=/)
    if (!store(context, name, value)) return
    const { variables } = context.channel
    const names = variables.get('export_vars')?.split(',') ?? []
    if (!names.includes(name)) variables.set('export_vars', [...names, name].join(','))
  },
}

const unset: Application = {
  ...BRIEF,
  run(context) {
    store(context, context.arg, undefined)
  },
}

/** All applications that a client can execute; executing any other hangs up the channel. */
export const APPLICATIONS: AppTable = new Map<string, Application>([
  ['answer', answer],
  ['break', breakApp],
  ['echo', echo],
  ['export', exportVariable],
  ['flush_dtmf', flushDtmf],
  ['hangup', hangup],
  ['log', logApp],
  ['multiset', multiset],
  ['park', park],
  ['play_and_get_digits', playAndGetDigits],
  ['playback', playback],
  ['queue_dtmf', queueDtmf],
  ['read', read],
  ['record', record],
  ['record_session', recordSession],
  ['record_session_mask', maskRecordSession],
  ['record_session_unmask', unmaskRecordSession],
  ['send_dtmf', sendDtmf],
  ['set', set],
  ['set_media_stats', setMediaStats],
  ['set_mute', setMute],
  ['sleep', sleep],
  ['speak', speak],
  ['start_dtmf', startDtmf],
  ['start_dtmf_generate', startDtmfGenerate],
  ['stop_dtmf', stopDtmf],
  ['stop_dtmf_generate', stopDtmfGenerate],
  ['stop_record_session', stopRecordSession],
  ['unset', unset],
])

function assign(context: AppContext, pair: string): void {
  const [name, value] = splitPair(pair, pair.includes('=') ? /=/ : /,/)
  store(context, name, value === undefined ? undefined : context.channel.expand(value))
}

function store({ channel, log }: AppContext, name: string, value: string | undefined): boolean {
  if (name === '') {
    log.error({ channel: channel.uuid }, 'no variable name specified')
    return false
  }
  const isStored = channel.variables.set(name, value)
  if (!isStored) log.error({ name, channel: channel.uuid }, 'a channel has too many variables')
  return isStored
}

function splitPair(pair: string, separator: RegExp): [name: string, value: string | undefined] {
  const at = pair.search(separator)
  return at === -1 ? [pair, undefined] : [pair.slice(0, at), pair.slice(at + 1)]
}
