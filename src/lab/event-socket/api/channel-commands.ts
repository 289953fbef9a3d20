import { readDtmf, sendDigits } from '../apps/send-digits.js'
import { bridgeChannels, parkBoth, transferToPark } from '../channel/bridge.js'
import type { Channel } from '../channel/channel.js'
import { globalVariable, profileField } from '../channel/expand-argument.js'
import type { SwitchCore } from '../core/switch-core.js'
import { eventAsJson, eventAsText } from '../events/switch-event.js'
import { readHangupCause } from '../model/hangup-cause.js'
import { separate } from '../protocol/separate.js'
import { type ApiCommand, NO_SUCH_CHANNEL, OK, onChannel, splitWords } from './api-command.js'

/**
 * `uuid_break uuid [all]`: stops the current step of the running application; `all` also drops the queued
 * applications.
 */
export const uuidBreak = onChannel('<uuid> [all]', (channel, rest) => {
  if (rest.includes('all')) channel.work.apps.flush()
  const partner = rest.includes('both') ? channel.situation.partner?.channel : undefined
  for (const each of [channel, partner]) each?.work.apps.break()
  return OK
})

/** `uuid_media_reneg uuid`: sends a new offer in a re-INVITE to the application. */
export const uuidMediaReneg: ApiCommand = (args, core) => {
  const [uuid] = splitWords(args)
  if (uuid === undefined) return '-USAGE: <uuid>[ <codec_string>]\n-ERR Operation Failed\n'
  const channel = core.channels.get(uuid)
  if (channel === undefined) return '-ERR Operation Failed\n'
  channel.leg.offerAnew()
  return '+OK Success\n'
}

export const uuidKill = onChannel('<uuid> [cause]', (channel, rest) => {
  channel.hangup(rest === '' ? 'NORMAL_CLEARING' : readHangupCause(rest), 'us')
  return OK
})

export const uuidExists: ApiCommand = (args, core) => String(core.channels.has(args.trim()))

/**
 * `uuid_bridge uuid other [another]`: responds at once; the event CHANNEL_BRIDGE reports that the bridge is
 * established.
 */
export const uuidBridge: ApiCommand = (args, core) => {
  const [uuid, ...others] = splitWords(args)
  if (uuid === undefined || others.length === 0) return '-USAGE: <uuid> <other_uuid>\n'
  const a = core.channels.get(uuid)
  const b = others.map((other) => core.channels.get(other)).find((other) => other !== undefined)
  if (a === undefined || b === undefined || a === b || a.isDown || b.isDown)
    return '-ERR Invalid uuid\n'
  bridgeChannels(a, b).catch((err: unknown) => {
    core.log.error({ err, a: a.uuid, b: b.uuid }, 'could not bridge two channels')
  })
  return `+OK ${b.uuid}\n`
}

/** `uuid_transfer uuid [-both] park inline`: parks the channel; no other destination is supported. */
export const uuidTransfer = onChannel(
  '<uuid> [-bleg|-both] <dest-exten> [<dialplan>] [<context>]',
  (channel, rest, core) => {
    const words = splitWords(rest)
    const isBoth = words[0] === '-both'
    const [destination, dialplan] = isBoth ? words.slice(1) : words
    if (destination !== 'park' || dialplan !== 'inline') {
      core.log.error({ rest, channel: channel.uuid }, 'a channel can only be transferred to park')
      return '-ERR\n'
    }
    const work = isBoth ? parkBoth(channel) : transferToPark(channel)
    work.catch((err: unknown) => {
      core.log.error({ err, channel: channel.uuid }, 'could not park a channel')
    })
    return OK
  },
)

export const uuidSendDtmf: ApiCommand = (args, core) => {
  const [uuid, text] = splitWords(args, 2)
  if (uuid === undefined || text === undefined) return '-USAGE: <uuid> <dtmf_data>\n'
  const channel = core.channels.get(uuid)
  if (channel === undefined) return '-ERR Cannot locate session!\n'
  const dtmf = readDtmf(text)
  if (dtmf.digits === '') return '-ERR Operation failed\n'
  sendDigits(channel, dtmf, core.log)
  return `+OK ${uuid} sent DTMF ${text}.\n`
}

export const uuidReceiveDtmf: ApiCommand = (args, core) => {
  const [uuid, text] = splitWords(args, 2)
  if (uuid === undefined || text === undefined) return '-USAGE: <uuid> <dtmf_data>\n'
  const channel = core.channels.get(uuid)
  if (channel === undefined) return '-ERR Cannot locate session!\n'
  const { digits, durationMs = 250 } = readDtmf(text)
  for (const digit of digits) channel.receive({ digit, durationMs, source: 'in-band' })
  return `+OK ${uuid} received DTMF ${text}.\n`
}

const AUDIO_USAGE = '-USAGE: <uuid> [start [read|write] [mute|level <level>]|stop]\n'

/** `uuid_audio uuid start read|write mute 1` or `uuid stop`; only muting is supported. */
export const uuidAudio: ApiCommand = (args, core) => {
  const [uuid = '', action, direction, what, level = '0'] = splitWords(args)
  if (action === undefined) return AUDIO_USAGE
  const channel = core.channels.get(uuid)
  if (channel === undefined) return NO_SUCH_CHANNEL
  const { media } = channel.leg
  if (action === 'stop') {
    media.setMute('read', false)
    media.setMute('write', false)
    return OK
  }
  const isDirection = direction === 'read' || direction === 'write'
  if (action !== 'start' || !isDirection || what !== 'mute') return AUDIO_USAGE
  media.setMute(direction, Number.parseInt(level, 10) !== 0)
  return OK
}

export const uuidSetvar: ApiCommand = (args, core) => {
  const [uuid, name, value] = splitWords(args, 3)
  if (uuid === undefined || name === undefined) return '-USAGE: <uuid> <var> [value]\n'
  const channel = core.channels.get(uuid)
  if (channel === undefined) return NO_SUCH_CHANNEL
  return setVariable(channel, name, value, core) ? OK : '-ERR too many variables\n'
}

/** `uuid_setvar_multi uuid a=1;b=2`: sets several variables. */
export const uuidSetvarMulti: ApiCommand = (args, core) => {
  const usage = '-USAGE: <uuid> <var>=<value>;<var>=<value>...\n'
  const [, uuid, pairs] = /^(\S+) (.*)$/s.exec(args) ?? []
  if (uuid === undefined || pairs === undefined) return usage
  const channel = core.channels.get(uuid)
  if (channel === undefined) return NO_SUCH_CHANNEL + usage
  for (const pair of separate(pairs, ';')) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    if (name === '') return '-ERR No variable specified\n'
    setVariable(channel, name, equals === -1 ? undefined : pair.slice(equals + 1), core)
  }
  return OK
}

export const uuidGetvar: ApiCommand = (args, core) => {
  const [uuid, name] = splitWords(args)
  if (uuid === undefined || name === undefined) return '-USAGE: <uuid> <var>\n'
  const channel = core.channels.get(uuid)
  if (channel === undefined) return NO_SUCH_CHANNEL
  return (
    channel.variables.get(name) ??
    profileField(channel, name) ??
    globalVariable(core.facts, name) ??
    '_undef_'
  )
}

/** `uuid_dump uuid [txt|plain|json]`: the channel as an event; the default `txt` is percent-encoded. */
export const uuidDump = onChannel('<uuid> [format]', (channel, rest, core) => {
  const event = core.bus.make({
    name: 'CHANNEL_DATA',
    headers: () => channel.headers('CHANNEL_DATA'),
  })
  const format = rest.trim().toLowerCase()
  if (format === 'json') return eventAsJson(event)
  return eventAsText(event, { isEncoded: format !== 'plain' })
})

export const uuidSetMediaStats: ApiCommand = async (args, core) => {
  const uuid = args.trim()
  if (uuid === '') return '-USAGE: <uuid>\n'
  const channel = core.channels.get(uuid)
  if (channel === undefined) return `-ERR No such channel ${uuid}!\n`
  await channel.setMediaStats()
  return '+OK:\n'
}

export const uuidAnswer = onChannel('<uuid>', () => OK)
export const uuidPhoneEvent: ApiCommand = (args, core) =>
  core.channels.has(splitWords(args)[0] ?? '') ? '+OK Success\n' : '-ERR Operation failed\n'

/**
 * `hupall [cause [variable value]…]`: hangs up every channel, or only those whose variables have these
 * values.
 */
export const hupall: ApiCommand = (args, core) => {
  const [causeName, ...pairs] = splitWords(args)
  const cause = causeName === undefined ? 'MANAGER_REQUEST' : readHangupCause(causeName)
  const wanted = pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? '']] : []))
  for (const channel of [...core.channels.values()]) {
    if (wanted.every(([name = '', value]) => channel.variables.get(name) === value))
      channel.hangup(cause, 'us')
  }
  const [first] = wanted
  if (first === undefined) return `+OK hangup all channels with cause ${cause}\n`
  const more = wanted.length > 1 ? '...' : ''
  return `+OK hangup all channels matching [${first[0] ?? ''}]=[${first[1] ?? ''}]${more} with cause: ${cause}\n`
}

function setVariable(
  channel: Channel,
  name: string,
  value: string | undefined,
  core: SwitchCore,
): boolean {
  const isSet = channel.variables.set(name, value)
  if (!isSet) core.log.error({ name, channel: channel.uuid }, 'a channel has too many variables')
  return isSet
}
