import { type CompletedCommand, type CompletedFlag, quoted } from './completed-command.js'

/** The script for fish. Pure. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
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
