import { CODEC_NAMES } from '../channel/call-profile.js'
import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import { localTime } from '../model/switch-facts.js'
import { type ApiCommand, splitWords } from './api-command.js'

/** `show channels|calls [count] [as json]`, `show channels like TEXT` or `show codec`. */
export const show: ApiCommand = (args, core) => {
  const [what = '', ...rest] = splitWords(args)
  if (what === 'codec')
    return asTable(
      Object.values(CODEC_NAMES).map(({ name, module: ikey }) => ({ type: 'codec', name, ikey })),
    )
  if (what !== 'channels' && what !== 'calls') {
    core.log.error({ args }, 'show lists channels, calls and codecs only')
    return '-USAGE: codec|calls [count]|channels [count|like <match string>]\n'
  }
  const all = [...core.channels.values()].filter(
    (channel) => what === 'channels' || isCall(channel),
  )
  if (rest[0] === 'count')
    return rest.includes('json') ? `{"row_count":${all.length}}` : `\n${all.length} total.\n`
  const like = rest[0] === 'like' ? (rest[1] ?? '').toLowerCase() : ''
  const rows = all
    .map((channel) => channelRow(channel, core))
    .filter((row) => like === '' || Object.values(row).some((v) => v.toLowerCase().includes(like)))
  return rest.at(-1) === 'json' ? asJson(rows) : asTable(rows)
}

/** True when the channel counts as a call. A bridge counts once, by its originator's row. */
function isCall({ situation }: Channel): boolean {
  return situation.partner?.role !== 'originator'
}

type Row = Readonly<Record<string, string>>

function channelRow(channel: Channel, core: SwitchCore): Row {
  const { uuid, profile, progress, variables } = channel
  const codec = variables.get('rtp_use_codec_name') ?? 'PCMU'
  return {
    uuid,
    direction: 'inbound',
    created: localTime(new Date(progress.createdAt)),
    created_epoch: String(Math.floor(progress.createdAt / 1000)),
    name: profile.channelName,
    state: progress.state,
    cid_name: profile.callerName,
    cid_num: profile.callerNumber ?? '',
    ip_addr: profile.networkAddress,
    dest: profile.destination,
    application: variables.get('current_application') ?? '',
    application_data: variables.get('current_application_data') ?? '',
    dialplan: 'XML',
    context: 'mrf',
    read_codec: codec,
    read_rate: '8000',
    read_bit_rate: '64000',
    write_codec: codec,
    write_rate: '8000',
    write_bit_rate: '64000',
    secure: '',
    hostname: core.facts.hostname,
    presence_id: '',
    presence_data: '',
    accountcode: variables.get('accountcode') ?? '',
    callstate: progress.callState,
    callee_name: '',
    callee_num: '',
    callee_direction: '',
    call_uuid: channel.situation.partner?.channel.uuid ?? '',
    sent_callee_name: '',
    sent_callee_num: '',
    initial_cid_name: profile.callerName,
    initial_cid_num: profile.callerNumber ?? '',
    initial_ip_addr: profile.networkAddress,
    initial_dest: profile.destination,
    initial_dialplan: 'XML',
    initial_context: 'mrf',
  }
}

function asJson(rows: readonly Row[]): string {
  return JSON.stringify(rows.length === 0 ? { row_count: 0 } : { row_count: rows.length, rows })
}

function asTable(rows: readonly Row[]): string {
  const [first] = rows
  if (first === undefined) return '\n0 total.\n'
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))]
  return `${lines.map((line) => line.join(',')).join('\n')}\n\n${rows.length} total.\n`
}
