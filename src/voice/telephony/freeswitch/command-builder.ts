/**
 * Builds every command for FreeSWITCH's event socket; no other file does.
 *
 * The socket is text: a line break ends a command, a blank line starts another, and `${system …}`
 * in an argument runs a program. So no argument may contain `\r`, `
 * ` or NUL, and every value with a grammar (channel, digit, path, variable name) is validated.
 * `set` and `multiset` are never used: they expand `${…}` in the value even where expansion is
 * disabled.
 */
import type { AudioSource, ForkRequest } from '../leg-media.js'
import { UnsafeArgumentError } from '../port.js'
import { SIP_PROFILE } from '../sip-profile.js'

/** An `api <name> <args>` command. FreeSWITCH answers these at once and in order. */
export interface ApiCommand {
  readonly type: 'api'
  readonly text: string
}

/** A command to the connection itself; its reply carries no result. */
export interface SocketCommand {
  readonly type: 'socket'
  readonly text: string
}

/**
 * An application, run by `sendmsg … execute` in the channel's own thread, after the applications before it.
 */
export interface AppCommand {
  readonly type: 'app'
  readonly name: string
  readonly argument: string
}

/**
 * Variables that every channel gets first. `socket_resume` ends a channel whose controller has
 * gone. The next two keep one of two bridged legs alive when the other ends;
 * `hold_hangup_xfer_exten` does so when the other had put it on hold.
 */
const CHANNEL_DEFAULTS = [
  ['app_disable_expand_variables', 'true'],
  ['park_after_bridge', 'true'],
  ['hangup_after_bridge', 'false'],
  ['hold_hangup_xfer_exten', 'park:inline'],
  ['socket_resume', 'true'],
] as const

/** Returns the argument. Throws UnsafeArgumentError for characters that could start another command. */
export function eslArg(text: string): string {
  for (const forbidden of ['\r', '\n', '\0'])
    if (text.includes(forbidden))
      throw new UnsafeArgumentError('a line break or NUL cannot be part of a command')
  return text
}

/** Returns the text of one command: a command line, header lines, a blank line. */
export function frameCommand(
  command: string,
  headers: Readonly<Record<string, unknown>> = {},
): string {
  let frame = `${commandLine(command)}\n`
  for (const [name, value] of Object.entries(headers))
    frame += `${eslArg(name)}: ${eslArg(String(value))}\n`
  return `${frame}\n`
}

/** Checks a command line. Only commands without header lines of their own are ever built. */
function commandLine(command: string): string {
  if (command === '') throw new UnsafeArgumentError('an empty line is not a command')
  return eslArg(command)
}

/** Returns a URL from which a media server without a shared folder can download the file. */
export type UrlOf = (path: string) => string

export function playCommand(source: AudioSource, urlOf?: UrlOf): AppCommand {
  return { type: 'app', name: 'playback', argument: playbackArgument(source, urlOf) }
}

export function breakCommand(channel: string): ApiCommand {
  return api('uuid_break', channelId(channel))
}

/**
 * Returns a command that sets missing defaults of the channel; undefined when its dialplan has set
 * all of them, as ours does. `valueOf` returns the value of a variable.
 */
export function channelDefaultsCommand(
  channel: string,
  valueOf: (variable: string) => string | null,
): ApiCommand | undefined {
  const assignments = CHANNEL_DEFAULTS.filter(([name, value]) => valueOf(name) !== value).map(
    ([name, value]) => `${name}=${value}`,
  )
  if (assignments.length === 0) return undefined
  return api('uuid_setvar_multi', channelId(channel), assignments.join(';'))
}

/** A channel event that can be subscribed to. */
export type ChannelEvent =
  | 'CHANNEL_BRIDGE'
  | 'CHANNEL_EXECUTE_COMPLETE'
  | 'CHANNEL_PARK'
  | 'CUSTOM conference::maintenance'
  | 'DTMF'
  | 'PLAYBACK_START'

/** Limits a connection's events to one channel. */
export function onlyChannelCommand(channel: string): SocketCommand {
  return { type: 'socket', text: eslArg(`filter Unique-ID ${channelId(channel)}`) }
}

/** Subscribes to more events, as JSON. */
export function eventsCommand(events: readonly ChannelEvent[]): SocketCommand {
  return { type: 'socket', text: `event json ${events.join(' ')}` }
}

export function setVariableCommand(channel: string, name: string, value: string): ApiCommand {
  if (!/^[A-Za-z_][\w.-]{0,127}$/.test(name))
    throw new UnsafeArgumentError('not the name of a channel variable')
  return api('uuid_setvar', channelId(channel), name, ...(value === '' ? [] : [quoted(value)]))
}

export function sendDigitCommand(channel: string, digit: string, durationMs: number): ApiCommand {
  if (!/^[0-9A-Da-d*#]$/.test(digit)) throw new UnsafeArgumentError('not a telephone digit')
  return api('uuid_send_dtmf', channelId(channel), `${digit}@${count(durationMs)}`)
}

/** How a peer's digits travel: as telephone events (RFC 4733), or as tones in its audio. */
export type KeyWay = 'events' | 'audio'

/** Starts or stops two things: detecting digits in the peer's audio, and playing digits to it as tones. */
export function keyWayApplications(way: KeyWay): readonly AppCommand[] {
  const action = way === 'audio' ? 'start' : 'stop'
  return [
    { type: 'app', name: `${action}_dtmf`, argument: '' },
    { type: 'app', name: `${action}_dtmf_generate`, argument: 'write' },
  ]
}

/**
 * With `audio`, keeps detected digits from the other side of a bridge: it hears the tones, and
 * would get each digit twice. FreeSWITCH reads the variable when a bridge begins. After an SDP
 * without telephone events it accepts none unless `dtmf_type` is set again.
 */
export function keyWayCommand(channel: string, way: KeyWay): ApiCommand {
  const variables =
    way === 'audio' ? 'bridge_filter_dtmf=true' : 'bridge_filter_dtmf=false;dtmf_type=rfc2833'
  return api('uuid_setvar_multi', channelId(channel), variables)
}

export function bridgeCommand(channel: string, other: string): ApiCommand {
  return api('uuid_bridge', channelId(channel), channelId(other))
}

/** Parks both channels of a bridge. */
export function unbridgeCommand(channel: string): ApiCommand {
  return api('uuid_transfer', channelId(channel), '-both', 'park', 'inline')
}

/**
 * Sets how the next recording of the channel is made. FreeSWITCH buffers the first 25 frames by default, and
 * a recording that ends before them is empty; 5 frames (0.1 s) are enough for late packets. The default
 * sample rate is that of the codec, 48 kHz with Opus; all our files have 8 kHz.
 */
export function nextRecordingCommand(channel: string, channels: 'mono' | 'stereo'): ApiCommand {
  const isStereo = channels === 'stereo' ? 'true' : 'false'
  const variables = `RECORD_STEREO=${isStereo};RECORD_PRE_BUFFER_FRAMES=5;record_sample_rate=8000`
  return api('uuid_setvar_multi', channelId(channel), variables)
}

export function recordCommand(
  channel: string,
  action: 'start' | 'stop' | 'mask' | 'unmask',
  path: string,
): ApiCommand {
  return api('uuid_record', channelId(channel), action, quoted(filePath(path)))
}

/** Starts a fork. `|` separates the arguments, so that the empty metadata counts as an argument. */
export function forkStartCommand(channel: string, url: string, fork: ForkRequest): ApiCommand {
  const mix = fork.hears === 'both' ? 'stereo' : 'mono'
  const speaks = fork.speaks === 'yes' ? 'true' : 'false'
  const args = [channelId(channel), 'start', forkUrl(url), mix, '8000', forkName(fork.name)]
  return api('uuid_audio_fork', `^^|${[...args, '', 'true', speaks, '8000'].join('|')}`)
}

export function forkStopCommand(channel: string, name: string): ApiCommand {
  return api('uuid_audio_fork', channelId(channel), 'stop', forkName(name))
}

/** A command for one member of a room, or for its relation to another member. */
export type RoomChange =
  | { readonly type: 'mute' | 'unmute' | 'deaf' | 'undeaf' | 'kick' }
  | { readonly type: 'relate'; readonly other: string; readonly how: 'nospeak' | 'clear' }

export function joinRoomCommand(
  room: string,
  voice: { readonly speaks: 'yes' | 'no' },
): AppCommand {
  const flags = voice.speaks === 'yes' ? '' : '++flags{mute}'
  return { type: 'app', name: 'conference', argument: `${roomName(room)}${flags}` }
}

export function roomMemberCommand(room: string, member: string, change: RoomChange): ApiCommand {
  const { type } = change
  const more = type === 'relate' ? [memberId(change.other), change.how] : []
  return api('conference', roomName(room), type, memberId(member), ...more)
}

export function roomPlayCommand(room: string, source: AudioSource, urlOf?: UrlOf): ApiCommand {
  return api('conference', roomName(room), 'play', quoted(playbackArgument(source, urlOf)))
}

export function roomRecordCommand(
  room: string,
  action: 'start' | 'stop',
  path: string,
): ApiCommand {
  return api('conference', roomName(room), 'recording', action, quoted(filePath(path)))
}

/** Schedules a hangup of the channel, unless `keepCommand` comes first. */
export function endLaterCommand(channel: string, seconds: number): ApiCommand {
  return api('sched_hangup', `+${count(seconds)}`, channelId(channel))
}

/** Cancels every `endLaterCommand` of the channel. */
export function keepCommand(channel: string): ApiCommand {
  return api('sched_del', channelId(channel))
}

/** Makes FreeSWITCH send a re-INVITE with an offer for the channel. */
export function offerCommand(channel: string): ApiCommand {
  return api('uuid_media_reneg', channelId(channel))
}

export function killCommand(channel: string): ApiCommand {
  return api('uuid_kill', channelId(channel))
}

export function channelExistsCommand(channel: string): ApiCommand {
  return api('uuid_exists', channelId(channel))
}

export function listChannelsCommand(): ApiCommand {
  return api('show', 'channels', 'as', 'json')
}

export function fileExistsCommand(path: string): ApiCommand {
  return api('file_exists', plainPath(path))
}

/** Uploads a file by PUT; a command of mod_http_cache. */
export function sendFileCommand(url: string, path: string): ApiCommand {
  return api('http_put', fileUrl(url, /^\/record\/[0-9a-f]{32}\.wav$/), plainPath(path))
}

/** Deletes a file that was sent. The program runs without a shell. */
export function removeFileCommand(path: string): ApiCommand {
  return api('bg_spawn', '/bin/rm', '-f', plainPath(path))
}

/** A command that every FreeSWITCH answers at once. */
export function pingCommand(): ApiCommand {
  return api('uptime')
}

/** Asks for the SIP profile's addresses. The answer is a sentence when the profile does not exist. */
export function profileStatusCommand(): ApiCommand {
  return api('sofia', 'status', 'profile', SIP_PROFILE)
}

/** Asks for the codec that the channel reads with: `G722`, `opus`, `_undef_`. */
export function readCodecCommand(channel: string): ApiCommand {
  return api('uuid_getvar', channelId(channel), 'read_codec')
}

/** Makes the counters of the channel's audio into its variables. */
export function countMediaCommand(channel: string): ApiCommand {
  return api('uuid_set_media_stats', channelId(channel))
}

/** Asks for all variables of the channel, as the lines of an event. */
export function dumpCommand(channel: string): ApiCommand {
  return api('uuid_dump', channelId(channel))
}

/** Asks for the SRTP key with which the channel decrypts, as an `a=crypto` has it; `_undef_` without one. */
export function remoteKeyCommand(channel: string): ApiCommand {
  return api('uuid_getvar', channelId(channel), 'srtp_remote_audio_crypto_key')
}

/** Asks for the codecs of the loaded modules. */
export function showCodecsCommand(): ApiCommand {
  return api('show', 'codec')
}

/** Plays the peer's audio back to it, until the channel ends. */
export function echoCommand(): AppCommand {
  return { type: 'app', name: 'echo', argument: '' }
}

export function moduleExistsCommand(module: string): ApiCommand {
  if (!/^mod_\w{1,60}$/.test(module)) throw new UnsafeArgumentError('not the name of a module')
  return api('module_exists', module)
}

/** Asks for the address that the channel was told to connect back to. */
export function ownerAddressCommand(channel: string): ApiCommand {
  return api('uuid_getvar', channelId(channel), 'sip_h_X-esl-outbound')
}

function api(name: string, ...args: readonly string[]): ApiCommand {
  return { type: 'api', text: eslArg([name, ...args].join(' ')) }
}

function playbackArgument(source: AudioSource, urlOf: UrlOf | undefined): string {
  switch (source.type) {
    case 'file':
      return urlOf === undefined
        ? filePath(source.path)
        : `http_cache://${fileUrl(urlOf(source.path), /^\/play\/[\w/-]+\.[a-z0-9]{1,5}$/)}`
    case 'silence':
      return `silence_stream://${count(source.durationMs)}`
    case 'tone':
      return toneStream([source], source.repeat)
    case 'cadence':
      return toneStream(source.parts, source.repeat)
  }
}

function toneStream(
  tones: Extract<AudioSource, { readonly type: 'cadence' }>['parts'],
  repeat: number,
): string {
  const specs = tones.map(
    ({ onMs, offMs, frequencies }) => `%(${[onMs, offMs, ...frequencies].map(count).join(',')})`,
  )
  return `tone_stream://${specs.join(';')};loops=${count(Math.max(1, repeat))}`
}

function channelId(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new UnsafeArgumentError('not the id of a channel')
  return text
}

/**
 * Checks an absolute path: letters, digits and harmless punctuation only. FreeSWITCH interprets a
 * scheme, `{variables}`, `@@offset`, `!` between files, `|` and `$`; our files need none of these.
 */
function filePath(path: string): string {
  const isPlain = /^\/[\p{L}\p{M}\p{N} ._\-+=@,~#()/]*$/u.test(path)
  if (!isPlain || path.includes('@@') || path.split('/').includes('..'))
    throw new UnsafeArgumentError('not a path that can be handed to the media server')
  return path
}

/** Checks a recording's path for commands that have no quoting. */
function plainPath(path: string): string {
  if (!/^\/[\w./-]{1,500}$/.test(path) || path.split('/').includes('..'))
    throw new UnsafeArgumentError('not the path of a recording')
  return path
}

/** Checks a URL of the file listener. */
function fileUrl(url: string, path: RegExp): string {
  const [, host = '', rest = ''] = /^http:\/\/([\w.:[\]-]+)(\/.*)$/.exec(url) ?? []
  if (host === '' || !path.test(rest))
    throw new UnsafeArgumentError('not an address of the file listener')
  return url
}

/** Checks a URL of the fork listener. Customers' URLs never reach the media server. */
function forkUrl(url: string): string {
  if (!/^ws:\/\/[\w.:[\]-]+\/fork\/[0-9a-f]{32}$/.test(url))
    throw new UnsafeArgumentError('not an address where forks are taken')
  return url
}

/** Checks a room name that we made. A customer's own room name may contain any characters. */
function roomName(name: string): string {
  if (!/^[\w-]{1,64}$/.test(name)) throw new UnsafeArgumentError('not the name of a room')
  return name
}

function memberId(id: string): string {
  if (!/^\d{1,10}$/.test(id)) throw new UnsafeArgumentError('not the number of a member')
  return id
}

function forkName(name: string): string {
  if (!/^[\w-]{1,64}$/.test(name)) throw new UnsafeArgumentError('not the name of a fork')
  return name
}

function count(value: number): string {
  if (!Number.isFinite(value) || value < 0 || value > 0x7fffffff)
    throw new UnsafeArgumentError('not a count')
  return String(Math.round(value))
}

/** Quotes one argument of an `api` command: FreeSWITCH splits at blanks outside single quotes. */
function quoted(text: string): string {
  if (/^[\w./:+@,=-]+$/.test(text)) return text
  return `'${text.replace(/[\\']/g, String.raw`\$&`)}'`
}
