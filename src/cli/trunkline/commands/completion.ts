import { Argument, type Command } from 'commander'
import { bashCompletion } from '../completion/bash.js'
import { type CompletedCommand, completedCommands } from '../completion/completed-command.js'
import { fishCompletion } from '../completion/fish.js'
import { zshCompletion } from '../completion/zsh.js'
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
