import { Argument, type Command, type Option } from 'commander'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline completion bash > /etc/bash_completion.d/trunkline
  $ trunkline completion zsh > "\${fpath[1]}/_trunkline"
  $ trunkline completion fish > ~/.config/fish/completions/trunkline.fish
  $ source <(trunkline completion bash)               only in this shell`

interface CompletedCommand {
  /** The words after `trunkline`, such as `calls list`; empty for the program itself. */
  readonly path: string
  readonly words: readonly Completed[]
  readonly flags: readonly CompletedFlag[]
}

interface Completed {
  readonly text: string
  readonly description: string
}

interface CompletedFlag extends Completed {
  /** Short form such as `-f`; undefined when there is none. */
  readonly short: string | undefined
  readonly takesValue: boolean
  /** Possible values of the flag; empty when unknown. */
  readonly choices: readonly string[]
  readonly isFile: boolean
}

const HELP: CompletedFlag = {
  text: '--help',
  short: '-h',
  description: 'show how it is used',
  takesValue: false,
  choices: [],
  isFile: false,
}

/** A flag of one command. */
interface PlacedFlag {
  readonly path: string
  /** Long and short form of the flag. */
  readonly names: readonly string[]
  readonly flag: CompletedFlag
}

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** Case branches, for bash and zsh, that find the command named before the cursor. */
function placeLines(commands: readonly CompletedCommand[]): string {
  return commands
    .filter(({ path }) => path !== '')
    .map(({ path }) => `      '${path}') place='${path}' ;;`)
    .join('\n')
}

/** Returns the zsh script, for a file in `fpath` or for `source`. Pure. */
function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef trunkline
_trunkline() {
  local place='' word at
  local -a offered
  for ((at = 2; at < CURRENT; at++)); do
    word=$words[at]
    case "\${place:+$place }$word" in
${placeLines(commands)}
    esac
  done
  case "$place:$words[CURRENT-1]" in
${flagsWithValue(commands).map(zshValueLine).join('\n')}
  esac
  case "$place" in
${commands
  .map(({ path, words, flags }) => `    '${path}') offered=(${entries([...words, ...flags])}) ;;`)
  .join('\n')}
  esac
  _describe 'trunkline' offered
}
if [[ "$funcstack[1]" == _trunkline ]]; then _trunkline "$@"; else compdef _trunkline trunkline; fi`
}

/** Entries of `_describe`: a colon separates a word from its description. */
function entries(all: readonly Completed[]): string {
  const unique = [...new Map(all.map((each) => [each.text, each])).values()]
  return unique
    .map(({ text, description }) => quoted(`${text}:${description.replaceAll(':', ',')}`))
    .join(' ')
}

function zshValueLine({ path, names, flag: { choices, isFile } }: PlacedFlag): string {
  const pattern = names.map((name) => `'${path}:${name}'`).join('|')
  if (isFile) return `    ${pattern}) _files; return ;;`
  const offer = choices.length > 0 ? `compadd -- ${choices.join(' ')}; ` : ''
  return `    ${pattern}) ${offer}return ;;`
}

/** Returns the script for bash 4 and newer. */
function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion of trunkline
_trunkline() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place='' word at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case "\${place:+$place }$word" in
${placeLines(commands)}
    esac
  done
  case "$place:$previous" in
${flagsWithValue(commands).map(valueLine).join('\n')}
  esac
  local words=''
  case "$place" in
${commands
  .map(({ path, words, flags }) => {
    const texts = [...words, ...flags].map(({ text }) => text)
    return `    '${path}') words='${[...new Set(texts)].join(' ')}' ;;`
  })
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _trunkline trunkline`
}

function valueLine({ path, names, flag: { choices, isFile } }: PlacedFlag): string {
  const pattern = names.map((name) => `'${path}:${name}'`).join('|')
  const offer = isFile ? '-f' : `-W '${choices.join(' ')}'`
  const isKnown = isFile || choices.length > 0
  const reply = isKnown ? `COMPREPLY=($(compgen ${offer} -- "$current")); ` : ''
  return `    ${pattern}) ${reply}return ;;`
}

/** Returns the script for fish. */
function fishCompletion(commands: readonly CompletedCommand[]): string {
  return `# fish completion of trunkline
function __trunkline_place
  set -l place ''
  set -l words (commandline -opc)
  for word in $words[2..-1]
    switch (string trim -- "$place $word")
${commands
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      case '${path}'\n        set place '${path}'`)
  .join('\n')}
    end
  end
  test "$place" = "$argv[1]"
end
complete -c trunkline -f
${commands.flatMap(linesOf).join('\n')}`
}

function linesOf({ path, words, flags }: CompletedCommand): readonly string[] {
  const here = `complete -c trunkline -n "__trunkline_place '${path}'"`
  return [
    ...words.map(({ text, description }) => `${here} -a ${text} -d ${quoted(description)}`),
    ...flags.map((flag) => `${here} ${flagOf(flag)} -d ${quoted(flag.description)}`),
  ]
}

function flagOf({ text, short, takesValue, choices, isFile }: CompletedFlag): string {
  const names = [`-l ${text.slice(2)}`, ...(short === undefined ? [] : [`-s ${short.slice(1)}`])]
  if (isFile) return `${names.join(' ')} -r -F`
  if (choices.length > 0) return `${names.join(' ')} -x -a ${quoted(choices.join(' '))}`
  return takesValue ? `${names.join(' ')} -x` : names.join(' ')
}

export function addCompletion(program: Command, around: Surroundings): void {
  const command = program
    .command('completion')
    .description('Prints the script with which a shell completes this command.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', EXAMPLES)
  acting(command, around, ({ print }, shell = '') => {
    print(SHELLS[shell]?.(completedCommands(program)) ?? '')
  })
}

/** Commands, flags and choices for completion, read from the program itself. */
function completedCommands(program: Command): readonly CompletedCommand[] {
  return commandsBelow(program, '', [])
}

function commandsBelow(
  command: Command,
  path: string,
  inherited: readonly CompletedFlag[],
): readonly CompletedCommand[] {
  const own = [...command.options.map(completedFlagOf), ...inherited]
  const fallback = defaultOf(command)
  const flags = fallback === undefined ? own : [...fallback.options.map(completedFlagOf), ...own]
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

/** The subcommand that runs by default; its flags may follow the parent command. */
function defaultOf(command: Command): Command | undefined {
  return command.commands.find((each) => each.name() === 'list')
}

function completedFlagOf(option: Option): CompletedFlag {
  return {
    text: option.long ?? option.short ?? '',
    short: option.long === undefined ? undefined : option.short,
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
    isFile: option.flags.includes('<file>'),
  }
}

/** Flags with a value, per command: choices of the same flag may differ between commands. */
function flagsWithValue(commands: readonly CompletedCommand[]): readonly PlacedFlag[] {
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

/** Quotes a text with single quotes, valid in all three shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}
