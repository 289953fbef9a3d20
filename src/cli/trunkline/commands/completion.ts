import { Argument, type Command } from 'commander'
import {
  type Completed,
  type CompletedCommand,
  type CompletedFlag,
  completedCommands,
  flagsWithValue,
  type PlacedFlag,
  quoted,
} from '../completion/completed-command.js'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline completion bash > /etc/bash_completion.d/trunkline
  $ trunkline completion zsh > "\${fpath[1]}/_trunkline"
  $ trunkline completion fish > ~/.config/fish/completions/trunkline.fish
  $ source <(trunkline completion bash)               only in this shell`

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** The script for zsh, as a file of `fpath` or by `source`. Pure. */
function zshCompletion(commands: readonly CompletedCommand[]): string {
  return `#compdef trunkline
_trunkline() {
  local place='' word at
  local -a offered
  for ((at = 2; at < CURRENT; at++)); do
    word=$words[at]
    case "\${place:+$place }$word" in
${commands
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      '${path}') place='${path}' ;;`)
  .join('\n')}
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

/** Entries of `_describe`: a colon divides the word from its description. */
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

/** The script for bash 4 and newer. */
function bashCompletion(commands: readonly CompletedCommand[]): string {
  return `# bash completion of trunkline
_trunkline() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place='' word at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    case "\${place:+$place }$word" in
${commands
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      '${path}') place='${path}' ;;`)
  .join('\n')}
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

/** The script for fish. */
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
