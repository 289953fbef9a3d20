import { type CompletedCommand, flagsWithValue, type PlacedFlag } from './completed-command.js'

/** The script for bash 4 and newer. Pure. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
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
