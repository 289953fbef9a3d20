import {
  type Completed,
  type CompletedCommand,
  flagsWithValue,
  type PlacedFlag,
  quoted,
} from './completed-command.js'

/** The script for zsh, as a file of `fpath` or by `source`. Pure. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
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
${flagsWithValue(commands).map(valueLine).join('\n')}
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

function valueLine({ path, names, flag: { choices, isFile } }: PlacedFlag): string {
  const pattern = names.map((name) => `'${path}:${name}'`).join('|')
  if (isFile) return `    ${pattern}) _files; return ;;`
  const offer = choices.length > 0 ? `compadd -- ${choices.join(' ')}; ` : ''
  return `    ${pattern}) ${offer}return ;;`
}
