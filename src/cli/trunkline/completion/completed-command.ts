/** The commands, flags and choices that a shell completes, read from the program itself. Pure. */
import type { Command, Option } from 'commander'

export interface CompletedCommand {
  /** The words after `trunkline`, such as `calls list`; empty for the program. */
  readonly path: string
  readonly words: readonly Completed[]
  readonly flags: readonly CompletedFlag[]
}

export interface Completed {
  readonly text: string
  readonly description: string
}

export interface CompletedFlag extends Completed {
  /** The short form, such as `-f`; undefined when there is none. */
  readonly short: string | undefined
  readonly takesValue: boolean
  /** The values that the flag may have; empty when they are not known. */
  readonly choices: readonly string[]
  readonly isFile: boolean
}

export function completedCommands(program: Command): readonly CompletedCommand[] {
  return commandsBelow(program, '', [])
}

function commandsBelow(
  command: Command,
  path: string,
  inherited: readonly CompletedFlag[],
): readonly CompletedCommand[] {
  const own = [...command.options.map(flagOf), ...inherited]
  const fallback = defaultOf(command)
  const flags = fallback === undefined ? own : [...fallback.options.map(flagOf), ...own]
  const choices = command.registeredArguments[0]?.argChoices ?? []
  const words = [
    ...command.commands.map((each) => ({ text: each.name(), description: each.description() })),
    ...choices.map((text) => ({ text, description: '' })),
  ]
  return [
    { path, words, flags: [...flags, HELP] },
    ...command.commands.flatMap((each) =>
      commandsBelow(each, `${path} ${each.name()}`.trim(), path === '' ? own : inherited),
    ),
  ]
}

/** The subcommand that runs when none is named: its flags may follow the command itself. */
function defaultOf(command: Command): Command | undefined {
  return command.commands.find((each) => each.name() === 'list')
}

function flagOf(option: Option): CompletedFlag {
  return {
    text: option.long ?? option.short ?? '',
    short: option.long === undefined ? undefined : option.short,
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
    isFile: option.flags.includes('<file>'),
  }
}

const HELP: CompletedFlag = {
  text: '--help',
  short: '-h',
  description: 'show how it is used',
  takesValue: false,
  choices: [],
  isFile: false,
}

/** A flag where it may be typed. */
export interface PlacedFlag {
  /** The path of the command. */
  readonly path: string
  /** The flag in its long and its short form. */
  readonly names: readonly string[]
  readonly flag: CompletedFlag
}

/** The flags that take a value, by command: two commands may give one flag different choices. */
export function flagsWithValue(commands: readonly CompletedCommand[]): readonly PlacedFlag[] {
  return commands.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map((flag) => ({
        path,
        names: flag.short === undefined ? [flag.text] : [flag.text, flag.short],
        flag,
      })),
  )
}

/** A text between single quotes, as every one of the shells reads it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}
