import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { runCommand } from './run-command.js'

/** What bash itself offers behind these words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { out } = await runCommand(['completion', 'bash'])
  const typed = ['trunkline', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${out}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _trunkline; printf '%s\\n' "\${COMPREPLY[@]}"`
  const printed = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
  return printed.split('\n').filter((line) => line !== '')
}

it.each<[string, string[], string[]]>([
  ['a command', ['rec'], ['recordings']],
  ['a subcommand', ['calls', 'e'], ['end']],
  ['a flag of the command', ['logs', '--fo'], ['--follow']],
  ['a flag of a list that is not named', ['calls', '--sta'], ['--status']],
  ['a common flag behind a subcommand', ['recordings', 'download', '--admin-t'], ['--admin-token']],
  ['the values of a flag', ['calls', '--status', 'no'], ['no-answer']],
  ['the values of the same flag elsewhere', ['accounts', '--status', 'sus'], ['suspended']],
  ['an argument with few values', ['completion', 'z'], ['zsh']],
  ['nothing where a number is expected', ['calls', '--limit', ''], []],
])('bash completes %s', async (_title, words, expected) => {
  expect(await offered(...words)).toEqual(expected)
})

it.each(['zsh', 'fish'])('a script for %s names every command', async (shell) => {
  const { code, out } = await runCommand(['completion', shell])
  expect(code).toBe(0)
  for (const name of ['start', 'call', 'logs', 'recordings', 'doctor', 'events', 'carriers'])
    expect(out).toMatch(new RegExp(`\\b${name}\\b`))
})
