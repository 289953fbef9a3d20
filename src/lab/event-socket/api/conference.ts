import type { Logger } from '../../../platform/log.js'
import { readPlaySource } from '../apps/play-source.js'
import type { Conference, Member } from '../conferences/conference.js'
import type { HttpCache } from '../core/http-cache.js'
import { type ApiCommand, splitWords } from './api-command.js'

type SubCommand = (
  conference: Conference,
  words: readonly string[],
  log: Logger,
  httpCache: HttpCache,
) => string | Promise<string>

/**
 * `conference NAME list|mute|unmute|deaf|undeaf|kick|relate|play|recording …`: the subcommands that our
 * clients use.
 */
export const conference: ApiCommand = (args, { conferences, httpCache, log }) => {
  const [name = '', sub = '', ...words] = splitWords(args)
  const found = conferences.find(name)
  if (found === undefined) return `-ERR Conference ${name} not found\n`
  const run = SUB_COMMANDS.get(sub)
  if (run !== undefined) return run(found, words, log, httpCache)
  log.error({ sub, conference: name }, 'unknown conference command')
  return `-ERR Conference command '${sub}' not found.\n`
}

const SUB_COMMANDS: ReadonlyMap<string, SubCommand> = new Map<string, SubCommand>([
  ['list', list],
  [
    'mute',
    forMembers('mute', (room, member) => {
      voice(room, member, { speaks: false })
    }),
  ],
  [
    'unmute',
    forMembers('unmute', (room, member) => {
      voice(room, member, { speaks: true })
    }),
  ],
  [
    'deaf',
    forMembers('deaf', (room, member) => {
      voice(room, member, { hears: false })
    }),
  ],
  [
    'undeaf',
    forMembers('undeaf', (room, member) => {
      voice(room, member, { hears: true })
    }),
  ],
  [
    'kick',
    forMembers('kicked', (room, member) => {
      room.tell('kick-member', member)
      member.leave()
    }),
  ],
  ['relate', relate],
  ['play', play],
  ['recording', recording],
])

function list({ members }: Conference, [what]: readonly string[]): string {
  if (what === 'count') return `${members.size}\n`
  return [...members.values()]
    .map(({ id, channel, hears, speaks }) => {
      const can = [...(hears ? ['hear'] : []), ...(speaks ? ['speak'] : [])].join('|')
      const { channelName, callerName, callerNumber } = channel.profile
      return `${[id, channelName, channel.uuid, callerName, callerNumber, can].join(';')};0;0;100\n`
    })
    .join('')
}

/** Runs a command on the members that a word selects: `all`, `last` or a member's number. */
function forMembers(word: string, act: (room: Conference, member: Member) => void): SubCommand {
  return (room, [who = '']) => {
    const members = [...room.members.values()]
    const chosen =
      who === 'all'
        ? members
        : who === 'last'
          ? members.slice(-1)
          : members.filter(({ id }) => String(id) === who)
    if (chosen.length === 0) return `-ERR Non-Existant ID ${who}\n`
    for (const member of chosen) act(room, member)
    return chosen.map(({ id }) => `+OK ${word} ${id}\n`).join('')
  }
}

function voice(
  room: Conference,
  member: Member,
  change: { readonly speaks?: boolean; readonly hears?: boolean },
): void {
  member.speaks = change.speaks ?? member.speaks
  member.hears = change.hears ?? member.hears
  room.applyVoice(member)
  const { speaks, hears } = change
  if (speaks !== undefined) room.tell(speaks ? 'unmute-member' : 'mute-member', member)
  if (hears !== undefined) room.tell(hears ? 'undeaf-member' : 'deaf-member', member)
}

/**
 * Carries out `relate A B nospeak` (B does not hear A), `nohear` (A does not hear B) and `clear` (undoes
 * both).
 */
function relate(room: Conference, [a = '', b = '', how = '']: readonly string[]): string {
  const [one, other] = [room.members.get(Number(a)), room.members.get(Number(b))]
  if (one === undefined || other === undefined) return '-ERR member not found\n'
  const [first, second] = [one.channel.leg.media, other.channel.leg.media]
  if (how === 'nospeak') second.setDeafTo(first, true)
  else if (how === 'nohear') first.setDeafTo(second, true)
  else if (how === 'clear') {
    first.setDeafTo(second, false)
    second.setDeafTo(first, false)
  } else return '-ERR usage: relate <member> <member> [nospeak|nohear|clear]\n'
  return `+OK ${a}->${b} ${how} set\n`
}

/** Carries out `recording start FILE` and `recording stop FILE`; events report the result. */
function recording(room: Conference, [action = '', path = '']: readonly string[]): string {
  const isRecorded = room.recordings.has(path)
  if (action === 'start') {
    if (isRecorded) return `-ERR file [${path}] is already being used for recording.\n`
    room.record(path)
    return `+OK Record file ${path}\n`
  }
  if (action !== 'stop') return '-ERR usage: recording [start|stop] <file>\n'
  if (!isRecorded) return `-ERR non-existant recording '${path}'\n`
  room.room.stopRecording(path)
  return `+OK Stop recording file ${path}\n`
}

/** Carries out `play FILE`, for all members. */
async function play(
  room: Conference,
  [file = '']: readonly string[],
  log: Logger,
  httpCache: HttpCache,
): Promise<string> {
  const source = readPlaySource(await httpCache.localise(file), undefined)?.from(0)
  if (source === undefined) return `(play) File: ${file} not found.\n`
  const member = [...room.members.values()].at(0)
  if (member !== undefined) room.tell('play-file', member, [['File', file]])
  const { started, ended } = room.room.play(source)
  void Promise.allSettled([started, ended]).then(([begin]) => {
    if (begin.status === 'rejected') log.error({ file }, 'could not play to a conference')
  })
  return `+OK (play) Playing file ${file}\n`
}
