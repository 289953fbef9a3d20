import { rm, stat } from 'node:fs/promises'
import { recordingRequest } from '../apps/record-session.js'
import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import { readHangupCause } from '../model/hangup-cause.js'
import { type ApiCommand, NO_SUCH_CHANNEL, OK, splitWords } from './api-command.js'
import {
  hupall,
  uuidAnswer,
  uuidAudio,
  uuidBreak,
  uuidBridge,
  uuidDump,
  uuidExists,
  uuidGetvar,
  uuidKill,
  uuidMediaReneg,
  uuidPhoneEvent,
  uuidReceiveDtmf,
  uuidSendDtmf,
  uuidSetMediaStats,
  uuidSetvar,
  uuidSetvarMulti,
  uuidTransfer,
} from './channel-commands.js'
import { conference } from './conference.js'
import {
  createUuid,
  echo,
  fsctl,
  globalGetvar,
  moduleExists,
  reloadxml,
  sofia,
  status,
  strftime,
  uptime,
  version,
} from './server-commands.js'
import { show } from './show-channels.js'
import { uuidAudioFork } from './uuid-audio-fork.js'

const LONGEST_SECONDS = 86_400

const RECORD_USAGE = '-USAGE: <uuid> [start|stop|mask|unmask] <path> [<limit>] [<recording_vars>]\n'
const SUCCESS = '+OK Success\n'

/**
 * `uuid_record uuid start|stop|mask|unmask path [limit seconds]`; `pause` and `resume` are not supported
 * because they would shorten the file.
 */
const uuidRecord: ApiCommand = async (args, core) => {
  const [uuid = '', action = '', path = '', limit = '0'] = splitWords(args)
  if (path === '') return RECORD_USAGE
  const channel = core.channels.get(uuid)
  if (channel === undefined) return '-ERR Cannot locate session!\n'
  switch (action.toLowerCase()) {
    case 'start':
      return startRecording(channel, path, Number.parseInt(limit, 10) || 0, core)
    case 'stop':
      return stopRecording(channel, path)
    case 'mask':
      return maskRecording(channel, path, true)
    case 'unmask':
      return maskRecording(channel, path, false)
    default:
      core.log.error({ action, channel: uuid }, 'uuid_record does not know this action')
      return RECORD_USAGE
  }
}

/** `file_exists PATH` */
const fileExists: ApiCommand = async (args) => {
  // FreeSWITCH too answers `false` for a path that it may not read.
  const found = await stat(args.trim()).catch(() => undefined)
  return String(found?.isFile() === true)
}

/** `http_put URL PATH`, of mod_http_cache */
const httpPut: ApiCommand = async (args, { httpCache, log }) => {
  const [url = '', path = ''] = splitWords(args)
  if (path === '') return 'USAGE: {param=val}<url> <file>'
  try {
    const status = await httpCache.put(url, path)
    return status >= 200 && status < 300 ? `+OK ${status}\n` : `-ERR ${status}\n`
  } catch (err) {
    log.error({ err, path }, 'could not send a file')
    return '-ERR 0\n'
  }
}

/**
 * `bg_spawn /bin/rm -f PATH`: the only program that clients run; the file is removed without starting a
 * program.
 */
const bgSpawn: ApiCommand = async (args, { log }) => {
  const [program, flag, path, ...more] = splitWords(args)
  if (program !== '/bin/rm' || flag !== '-f' || path === undefined || more.length > 0) {
    log.error({ program }, 'refused to run a program')
    return '-ERR refused\n'
  }
  await rm(path, { force: true })
  return '+OK\n'
}

/** `sched_hangup +seconds uuid [cause]`: hangs up the channel after that time, or at once for `+0`. */
const schedHangup: ApiCommand = (args, core) => {
  const [time = '', uuid = '', cause] = splitWords(args)
  const seconds = /^\+(\d{1,5})$/.exec(time)?.[1]
  if (seconds === undefined || Number(seconds) > LONGEST_SECONDS)
    return '-USAGE: [+]<time> <uuid> [<cause>]\n'
  const channel = core.channels.get(uuid)
  if (channel === undefined) return NO_SUCH_CHANNEL
  const end = () => {
    channel.hangup(cause === undefined ? 'ALLOTTED_TIMEOUT' : readHangupCause(cause), 'us')
  }
  if (seconds === '0') end()
  else if (!channel.isDown) channel.scheduledEnds.add(Number(seconds) * 1_000, end)
  return OK
}

/** `sched_del uuid`: cancels the scheduled hangups of the channel. */
const schedDel: ApiCommand = (args, core) => {
  const count = core.channels.get(args.trim())?.scheduledEnds.clear() ?? 0
  return `+OK Deleted: ${String(count)}\n`
}

/** All `api` commands. None of them starts another program. */
export const API_COMMANDS: ReadonlyMap<string, ApiCommand> = new Map([
  ['bg_spawn', bgSpawn],
  ['conference', conference],
  ['create_uuid', createUuid],
  ['echo', echo],
  ['file_exists', fileExists],
  ['fsctl', fsctl],
  ['global_getvar', globalGetvar],
  ['http_put', httpPut],
  ['hupall', hupall],
  ['module_exists', moduleExists],
  ['reloadxml', reloadxml],
  ['sched_del', schedDel],
  ['sched_hangup', schedHangup],
  ['show', show],
  ['sofia', sofia],
  ['status', status],
  ['strftime', strftime],
  ['uptime', uptime],
  ['uuid_answer', uuidAnswer],
  ['uuid_audio', uuidAudio],
  ['uuid_audio_fork', uuidAudioFork],
  ['uuid_break', uuidBreak],
  ['uuid_bridge', uuidBridge],
  ['uuid_dump', uuidDump],
  ['uuid_exists', uuidExists],
  ['uuid_getvar', uuidGetvar],
  ['uuid_kill', uuidKill],
  ['uuid_media_reneg', uuidMediaReneg],
  ['uuid_phone_event', uuidPhoneEvent],
  ['uuid_record', uuidRecord],
  ['uuid_recv_dtmf', uuidReceiveDtmf],
  ['uuid_send_dtmf', uuidSendDtmf],
  ['uuid_set_media_stats', uuidSetMediaStats],
  ['uuid_setvar', uuidSetvar],
  ['uuid_setvar_multi', uuidSetvarMulti],
  ['uuid_transfer', uuidTransfer],
  ['version', version],
])

async function startRecording(
  channel: Channel,
  path: string,
  limitSeconds: number,
  core: SwitchCore,
): Promise<string> {
  const request = recordingRequest(channel, path, limitSeconds)
  const failure = await channel.work.recordings.start(request)
  if (failure === undefined) return SUCCESS
  core.log.error({ path, failure, channel: channel.uuid }, 'could not start a recording')
  return '-ERR Cannot record session!\n'
}

function maskRecording(channel: Channel, path: string, isMasked: boolean): string {
  if (channel.work.recordings.mask(path, isMasked)) return SUCCESS
  return `-ERR Cannot ${isMasked ? 'mask' : 'unmask'} recording session!\n`
}

async function stopRecording(channel: Channel, path: string): Promise<string> {
  if (path === 'all') {
    await channel.work.recordings.stopAll()
    return SUCCESS
  }
  const isStopped = await channel.work.recordings.stop(path)
  return isStopped ? SUCCESS : '-ERR Cannot stop record session!\n'
}
