import type { ApiCommand } from './api-command.js'
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
  uuidPhoneEvent,
  uuidReceiveDtmf,
  uuidSendDtmf,
  uuidSetMediaStats,
  uuidSetvar,
  uuidSetvarMulti,
  uuidTransfer,
} from './channel-commands.js'
import { conference } from './conference.js'
import { bgSpawn, fileExists, httpPut } from './file-commands.js'
import { schedDel, schedHangup } from './scheduled-hangup.js'
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
import { uuidRecord } from './uuid-record.js'

/** Every `api` command. None of them runs anything outside this process. */
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
