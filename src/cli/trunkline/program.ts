/** The command `trunkline`: its subcommands and common flags. */
import { Command, CommanderError, Option } from 'commander'
import { ConfigError } from '../../config.js'
import { VERSION } from '../../wiring/version.js'
import { addAccounts } from './commands/accounts.js'
import { addCall } from './commands/call.js'
import { addCalls } from './commands/calls.js'
import { addCarriers } from './commands/carriers.js'
import { addCompletion } from './commands/completion.js'
import { addDatabase } from './commands/database.js'
import { addDoctor } from './commands/doctor.js'
import { addEvents } from './commands/events.js'
import { addExports } from './commands/exports.js'
import { addHear } from './commands/hear.js'
import { addKeys } from './commands/keys.js'
import { addLogs } from './commands/logs.js'
import { addNumbers } from './commands/numbers.js'
import { addRecordings } from './commands/recordings.js'
import { addRefused } from './commands/refused.js'
import { addStart } from './commands/start.js'
import { FailedError, type Surroundings, UsageError } from './surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline start                                    run the server here
  $ trunkline doctor                                   check this machine and the server
  $ trunkline call +15005550001 --from +15005550000 --say 'Hello.'
  $ trunkline calls --status busy --limit 5
  $ trunkline logs CA… --follow

The server and the account come from the flags, else from the environment (PUBLIC_URL, HTTP_PORT,
FIRST_ACCOUNT_SID, FIRST_ACCOUNT_TOKEN, ADMIN_TOKEN …), else from DATA_DIR, where the server keeps them.
Exit code: 0 done, 1 not done, 2 wrong usage.`

const EXIT_FAILED = 1
const EXIT_USAGE = 2

export function createProgram(around: Surroundings): Command {
  const program = prepare(new Command('trunkline'), around)
    .description('Places and watches calls, and looks after a trunkline server.')
    .version(VERSION)
    .showHelpAfterError('(add --help to see how it is used)')
    .addHelpText('after', EXAMPLES)
  for (const add of [
    ...[addStart, addCall, addCalls, addLogs, addRefused, addRecordings, addExports, addNumbers],
    ...[addAccounts, addKeys, addCarriers, addEvents, addDatabase, addDoctor],
    ...[addHear, addCompletion],
  ])
    add(program, around)
  return program
}

/** Adds the common flags to a command, and redirects its output to `print` and `complain`. */
export function prepare(command: Command, { print, complain }: Surroundings): Command {
  return command
    .addOption(new Option('--url <url>', 'the public listener of the server'))
    .addOption(new Option('--account <sid>', 'the account to act for'))
    .addOption(new Option('--token <token>', "the account's token"))
    .addOption(new Option('--admin-url <url>', 'the private listener of the server'))
    .addOption(new Option('--admin-token <token>', "the operator's token"))
    .addOption(new Option('--json', 'print one line of JSON for each record'))
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => {
        print(text.replace(/\n$/, ''))
      },
      writeErr: (text) => {
        complain(text.replace(/\n$/, ''))
      },
    })
    .exitOverride()
}

/** Runs a command; resolves with the exit code. */
export async function runProgram(
  program: Command,
  args: readonly string[],
  { complain }: Surroundings,
): Promise<number> {
  try {
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    // The parser has printed its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
    const isUsage = error instanceof UsageError || error instanceof ConfigError
    if (!isUsage && !(error instanceof FailedError)) throw error
    if (error.message !== '') complain(error.message)
    return isUsage ? EXIT_USAGE : EXIT_FAILED
  }
}
