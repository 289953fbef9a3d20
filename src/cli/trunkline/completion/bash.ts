import { type CompletedCommand, flagsWithValue } from './completed-command.js'

/** The script for bash 4 and newer. Pure. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const valued = flagsWithValue(commands)
  const chosen = valued.filter(({ choices }) => choices.length > 0)
  const files = valued.filter(({ isFile }) => isFile).flatMap(({ text, short }) => [text, short])
  const free = valued.filter(({ choices, isFile }) => choices.length === 0 && !isFile)
  const either = (flags: readonly (string | undefined)[]) =>
    flags.filter((flag) => flag !== undefined).join('|')
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
  case "$previous" in
${chosen.map(({ text, choices }) => `    ${text}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`).join('\n')}
    ${either(files)}) COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${either(free.flatMap(({ text, short }) => [text, short]))}) return ;;
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
