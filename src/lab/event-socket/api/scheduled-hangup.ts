import { readHangupCause } from '../model/hangup-cause.js'
import { type ApiCommand, NO_SUCH_CHANNEL, OK, splitWords } from './api-command.js'

const LONGEST_SECONDS = 86_400

/** `sched_hangup +seconds uuid [cause]`: ends the channel then; at once for `+0`. */
export const schedHangup: ApiCommand = (args, core) => {
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

/** `sched_del uuid`: takes back what was scheduled for the channel. */
export const schedDel: ApiCommand = (args, core) => {
  const count = core.channels.get(args.trim())?.scheduledEnds.clear() ?? 0
  return `+OK Deleted: ${String(count)}\n`
}
