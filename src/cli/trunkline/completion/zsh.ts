import {
  type Completed,
  type CompletedCommand,
  flagsWithValue,
  quoted,
} from './completed-command.js'

/** The script for zsh, as a file of `fpath` or by `source`. Pure. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const valued = flagsWithValue(commands)
  const chosen = valued.filter(({ choices }) => choices.length > 0)
  const files = valued.filter(({ isFile }) => isFile)
  const free = valued.filter(({ choices, isFile }) => choices.length === 0 && !isFile)
  const names = (flags: typeof valued) =>
    flags.flatMap(({ text, short }) => (short === undefined ? [text] : [text, short])).join('|')
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
  case "$words[CURRENT-1]" in
${chosen.map(({ text, choices }) => `    ${text}) compadd -- ${choices.join(' ')}; return ;;`).join('\n')}
    ${names(files)}) _files; return ;;
    ${names(free)}) return ;;
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
