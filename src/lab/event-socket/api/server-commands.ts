import { randomUUID } from 'node:crypto'
import { CODECS } from '../../media/codecs/audio-codec.js'
import { globalVariable } from '../channel/expand-argument.js'
import type { SwitchCore } from '../core/switch-core.js'
import { type ApiCommand, splitWords } from './api-command.js'

export const version: ApiCommand = (_args, { facts }) =>
  `FreeSWITCH Version ${facts.version}~64bit ( 64bit)\n`

export const status: ApiCommand = (_args, core) => {
  const { facts, sessions } = core
  const live = core.channels.size
  const now = Date.now()
  return [
    `UP ${upTime(now - facts.startedAt)}`,
    `FreeSWITCH (Version ${facts.version}  64bit) is ready`,
    `${sessions.total} session(s) since startup`,
    `${live} session(s) - peak ${sessions.peak}, last 5min ${sessions.peak} `,
    `${sessions.lastSecond(now)} session(s) per Sec out of max ${facts.sessionsPerSecond}, peak ${sessions.busiestSecond()}, last 5min ${sessions.busiestSecond()} `,
    `${facts.maxSessions} session(s) max`,
    'min idle cpu 0.00/100.00',
    'Current Stack Size/Max 240K/8192K',
    '',
  ].join('\n')
}

const RULE = '='.repeat(97)

/**
 * `sofia status`: lists the one profile; clients read the server's SIP address from it. `sofia status profile
 * NAME`: shows its addresses.
 */
export const sofia: ApiCommand = (args, core) => {
  const { profile, sipAddress } = core.facts
  const [word, kind, name] = splitWords(args)
  if (word !== 'status') {
    core.log.error({ args }, 'sofia knows status only')
    return '-ERR Unknown command!\n'
  }
  if (kind === 'profile') return name === profile ? profileStatus(core) : 'Invalid Profile!\n'
  const row = (name: string, type: string, data: string, state: string): string =>
    `${name.padStart(25)}\t${type.padStart(7)}\t${data.padStart(42)}\t${state}\n`
  return (
    `${'Name'.padStart(25)}\t${'Type'.padStart(7)}\t${'Data'.padStart(42)}\tState\n${RULE}\n` +
    row(profile, 'profile', `sip:mod_sofia@${sipAddress}`, `RUNNING (${core.channels.size})`) +
    `${RULE}\n1 profile 0 aliases\n`
  )
}

function profileStatus({ facts }: SwitchCore): string {
  const { profile, sipAddress, mediaAddress, extRtpAddress } = facts
  const fields = [
    ['Name', profile],
    ['Context', 'mrf'],
    ['CODECS IN', CODECS.join(',')],
    ['RTP-IP', mediaAddress],
    ['Ext-RTP-IP', extRtpAddress],
    ['SIP-IP', sipAddress.replace(/:\d+$/, '')],
    ['URL', `sip:mod_sofia@${sipAddress}`],
  ]
  const lines = fields.map(([name = '', value = '']) => `${name.padEnd(17)}\t${value}\n`)
  return `${RULE}\n${lines.join('')}\n`
}

/** `strftime`: formats the current time; supports `%Y-%m-%d` and the other fields that clients use. */
export const strftime: ApiCommand = (args) => {
  const now = new Date()
  const two = (value: number): string => String(value).padStart(2, '0')
  const fields: Readonly<Record<string, string>> = {
    Y: String(now.getFullYear()),
    m: two(now.getMonth() + 1),
    d: two(now.getDate()),
    H: two(now.getHours()),
    M: two(now.getMinutes()),
    S: two(now.getSeconds()),
    s: String(Math.floor(now.getTime() / 1000)),
    F: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
    T: `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`,
    '%': '%',
  }
  const format = args.trim() === '' ? '%Y-%m-%d %T' : args
  return format.replace(/%([A-Za-z%])/g, (whole, field: string) => fields[field] ?? whole)
}

export const createUuid: ApiCommand = () => randomUUID()

export const globalGetvar: ApiCommand = (args, { facts }) => {
  if (args.trim() !== '') return globalVariable(facts, args.trim()) ?? ''
  return ['hostname', 'local_ip_v4', 'core_uuid', 'temp_dir']
    .map((name) => `${name}=${globalVariable(facts, name) ?? ''}\n`)
    .join('')
}

export const uptime: ApiCommand = (_args, { facts }) =>
  `${Math.floor((Date.now() - facts.startedAt) / 1000)}\n`

/** The modules that the lab emulates: those of freeswitch-conf/freeswitch.xml, and mod_http_cache. */
const MODULES = new Set(
  `mod_audio_fork mod_commands mod_conference mod_console mod_dialplan_xml mod_dptools mod_event_socket
  mod_http_cache mod_logfile mod_native_file mod_sndfile mod_sofia mod_tone_stream`.split(/\s+/),
)

export const moduleExists: ApiCommand = (args, { facts }) => {
  const name = args.trim()
  return String(MODULES.has(name) && !facts.missingModules.includes(name))
}

export const echo: ApiCommand = (args) => args

export const reloadxml: ApiCommand = () => '+OK [Success]\n'

/** `fsctl`: pauses and resumes the server and reports settings. While paused, new calls are refused. */
export const fsctl: ApiCommand = (args, core) => {
  const [what = ''] = splitWords(args)
  switch (what) {
    case 'pause':
    case 'resume':
      core.sessions.isPaused = what === 'pause'
      return '+OK\n'
    case 'pause_check':
      return String(core.sessions.isPaused)
    case 'max_sessions':
      return `+OK max sessions: ${core.facts.maxSessions}\n`
    case 'sps':
      return `+OK sessions per second: ${core.facts.sessionsPerSecond}\n`
    case 'api_expansion':
      return '+OK api_expansion is off \n'
    default:
      core.log.error({ args }, 'fsctl does not know this')
      return '-ERR INVALID COMMAND\n'
  }
}

/**
 * Formats a duration as `0 years, 0 days, 0 hours, 7 minutes, 20 seconds, 70 milliseconds, 0 microseconds`.
 */
export function upTime(ms: number): string {
  const units: [name: string, value: number][] = [
    ['year', Math.floor(ms / 31_536_000_000)],
    ['day', Math.floor(ms / 86_400_000) % 365],
    ['hour', Math.floor(ms / 3_600_000) % 24],
    ['minute', Math.floor(ms / 60_000) % 60],
    ['second', Math.floor(ms / 1000) % 60],
    ['millisecond', Math.floor(ms) % 1000],
    ['microsecond', 0],
  ]
  return units.map(([name, value]) => `${value} ${name}${value === 1 ? '' : 's'}`).join(', ')
}

/** Returns the headers that only HEARTBEAT events have. */
export function heartbeatHeaders(core: SwitchCore, idleCpu: number): [string, string][] {
  const { facts, sessions } = core
  const now = Date.now()
  return [
    ['Event-Info', 'System Ready'],
    ['Up-Time', upTime(now - facts.startedAt)],
    ['FreeSWITCH-Version', `${facts.version}~64bit`],
    ['Uptime-msec', String(now - facts.startedAt)],
    ['Session-Count', String(core.channels.size)],
    ['Max-Sessions', String(facts.maxSessions)],
    ['Session-Per-Sec', String(facts.sessionsPerSecond)],
    ['Session-Per-Sec-Last', String(sessions.lastSecond(now))],
    ['Session-Per-Sec-Max', String(sessions.busiestSecond())],
    ['Session-Per-Sec-FiveMin', String(sessions.busiestSecond())],
    ['Session-Since-Startup', String(sessions.total)],
    ['Session-Peak-Max', String(sessions.peak)],
    ['Session-Peak-FiveMin', String(sessions.peak)],
    ['Idle-CPU', idleCpu.toFixed(6)],
  ]
}
