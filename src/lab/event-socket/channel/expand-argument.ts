import type { Logger } from '../../../platform/log.js'
import type { CommandLog } from '../model/command-log.js'
import type { SwitchFacts } from '../model/switch-facts.js'
import type { CallProfile } from './call-profile.js'
import type { ChannelVariables } from './variables.js'

export interface ExpansionDeps {
  readonly facts: SwitchFacts
  readonly commandLog: CommandLog
  readonly log: Logger
}

/** The part of a channel that provides built-in variables. */
interface Named {
  readonly uuid: string
  readonly profile: CallProfile
}

interface Expanded extends Named {
  readonly variables: ChannelVariables
}

interface Expansion {
  /** Returns a variable's value; undefined counts as empty. */
  variable(name: string): string | undefined
  /** Returns the replacement for a command in an argument: `${name args}` or `${name(args)}`. */
  command(name: string, args: string): string
}

/** Maximum depth of nested `${…}`; deeper ones stay as they are. */
const MAX_DEPTH = 16
/** Maximum length of the result in characters; values can grow by referring to each other. */
const MAX_CHARACTERS = 65_536

interface Piece {
  readonly plain: string
  readonly expression?: string
  readonly end: number
}

/**
 * Expands an argument. `${…}` is replaced by a variable's value; a command in it is refused and never run.
 * Each expansion is logged, so that tests can prove that no customer's text caused one.
 */
export function expandFor(channel: Expanded, text: string, deps: ExpansionDeps): string {
  const { commandLog, log, facts } = deps
  return expandVariables(text, {
    variable(name) {
      tell(name, 'variable')
      return (
        channel.variables.get(name) ?? profileField(channel, name) ?? globalVariable(facts, name)
      )
    },
    command(name, args) {
      const expression = `${name} ${args}`
      tell(expression, 'refused')
      log.warn(
        { channel: channel.uuid, expression },
        'refused a command in an application argument',
      )
      return '<API Execute Permission Denied>'
    },
  })

  function tell(expression: string, outcome: 'variable' | 'refused'): void {
    commandLog.write({ kind: 'expansion', channel: channel.uuid, expression, outcome })
  }
}

/**
 * Replaces `${name}`, `${name:offset:length}` and `$${name}` in an application's argument, and
 * `${command args}` by the result of `command`. `\$` stays a dollar, `\'` is dropped, `\\` stays.
 */
export function expandVariables(text: string, expansion: Expansion, depth = 0): string {
  if (depth > MAX_DEPTH || !text.includes('$')) return text
  let expanded = ''
  let at = 0
  while (at < text.length && expanded.length <= MAX_CHARACTERS) {
    const rest = readPiece(text, at)
    expanded +=
      rest.expression === undefined ? rest.plain : value(rest.expression, expansion, depth)
    at = rest.end
  }
  return expanded
}

function readPiece(text: string, at: number): Piece {
  const two = text.slice(at, at + 2)
  if (two === '\\$') {
    const end = text[at + 2] === '$' ? at + 3 : at + 2
    return { plain: '$', end }
  }
  if (two === "\\'") return { plain: '', end: at + 2 }
  if (two === '\\\\') return { plain: '\\', end: at + 2 }
  const open = two === '$$' ? at + 2 : at + 1
  if (text[at] !== '$' || text[open] !== '{') return { plain: text[at] ?? '', end: at + 1 }
  const close = closingBrace(text, open)
  return { plain: '', expression: text.slice(open + 1, close), end: close + 1 }
}

/**
 * Returns the position of the brace that closes the one at `open`, or the end of the text if there is none.
 */
function closingBrace(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at
  }
  return text.length
}

function value(expression: string, expansion: Expansion, depth: number): string {
  const call = /^([^ (]*)[ (]/.exec(expression)
  if (call?.[1] !== undefined) {
    const args = expression.slice(call[0].length).replace(/\)$/, '')
    return expansion.command(
      expandVariables(call[1], expansion, depth + 1),
      expandVariables(args, expansion, depth + 1),
    )
  }
  const [name = '', offset, length] = expandVariables(expression, expansion, depth + 1).split(':')
  const whole = expandVariables(expansion.variable(name) ?? '', expansion, depth + 1)
  return substring(whole, Number(offset ?? 0), Number(length ?? 0))
}

/** Returns part of a text. A negative offset counts from the end; a length of 0 means up to the end. */
function substring(text: string, offset: number, length: number): string {
  const from = text.slice(Number.isNaN(offset) ? 0 : offset)
  return length > 0 ? from.slice(0, length) : from
}

export function profileField({ profile, uuid }: Named, name: string): string | undefined {
  const fields: Readonly<Record<string, string | undefined>> = {
    uuid,
    channel_name: profile.channelName,
    caller_id_name: profile.callerName,
    caller_id_number: profile.callerNumber,
    network_addr: profile.networkAddress,
    destination_number: profile.destination,
    context: 'mrf',
    dialplan: 'XML',
    source: 'mod_sofia',
  }
  return fields[name]
}

export function globalVariable(facts: SwitchFacts, name: string): string | undefined {
  const globals: Readonly<Record<string, string>> = {
    hostname: facts.hostname,
    local_ip_v4: facts.mediaAddress,
    core_uuid: facts.coreUuid,
    temp_dir: '/tmp',
  }
  return globals[name]
}
