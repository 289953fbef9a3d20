import { recordingRequest } from '../apps/record-session.js'
import type { Channel } from '../channel/channel.js'
import type { SwitchCore } from '../core/switch-core.js'
import { type ApiCommand, splitWords } from './api-command.js'

const USAGE = '-USAGE: <uuid> [start|stop|mask|unmask] <path> [<limit>] [<recording_vars>]\n'
const SUCCESS = '+OK Success\n'

/**
 * `uuid_record uuid start|stop|mask|unmask path [limit seconds]`; `pause` and `resume` would cut
 * the file short.
 */
export const uuidRecord: ApiCommand = async (args, core) => {
  const [uuid = '', action = '', path = '', limit = '0'] = splitWords(args)
  if (path === '') return USAGE
  const channel = core.channels.get(uuid)
  if (channel === undefined) return '-ERR Cannot locate session!\n'
  switch (action.toLowerCase()) {
    case 'start':
      return start(channel, path, Number.parseInt(limit, 10) || 0, core)
    case 'stop':
      return stop(channel, path)
    case 'mask':
      return mask(channel, path, true)
    case 'unmask':
      return mask(channel, path, false)
    default:
      core.log.error({ action, channel: uuid }, 'uuid_record does not know this action')
      return USAGE
  }
}

async function start(
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

function mask(channel: Channel, path: string, isMasked: boolean): string {
  if (channel.work.recordings.mask(path, isMasked)) return SUCCESS
  return `-ERR Cannot ${isMasked ? 'mask' : 'unmask'} recording session!\n`
}

async function stop(channel: Channel, path: string): Promise<string> {
  if (path === 'all') {
    await channel.work.recordings.stopAll()
    return SUCCESS
  }
  const isStopped = await channel.work.recordings.stop(path)
  return isStopped ? SUCCESS : '-ERR Cannot stop record session!\n'
}
