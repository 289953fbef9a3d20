/** `npm run stack -- up|call|logs|sip-trace|down`: the stack of docker/, by docker compose. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import {
  callSteps,
  composeArguments,
  inboundCallSteps,
  type StackFlags,
} from './stack/compose-arguments.js'
import { processSurroundings } from './trunkline/process-surroundings.js'
import { prepare, runProgram } from './trunkline/program.js'
import { FailedError, UsageError } from './trunkline/surroundings.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SETTINGS = 'docker/.env'

const around = processSurroundings()
const program = prepare(new Command('npm run stack --'), around)
  .description('Runs trunkline beside drachtio and FreeSWITCH in containers (docs/docker.md).')
  .option('--production', "use the host's network and the real addresses of docker/.env")
  .option('--postgres', 'keep the database in PostgreSQL')
  .option('--store', 'add a bucket for recordings, for tests')
  .option('--monitoring', 'add Prometheus and Grafana, with a dashboard')
  .showHelpAfterError(true)

program
  .command('up')
  .description('Builds and starts the stack, and waits until trunkline can take calls.')
  .action(() => {
    run('up', '--detach', '--build', '--wait')
  })
program
  .command('call')
  .description('Places a call to a SIPp phone whose audio an application echoes, and follows it.')
  .option('--in', 'have a SIPp phone call in, as a carrier does')
  .action((flags: { readonly in?: boolean }) => {
    for (const step of flags.in === true ? inboundCallSteps() : callSteps()) run(...step)
  })
program
  .command('logs')
  .description('Prints the logs of the servers as they come; or of those that are named.')
  .argument('[server...]', 'trunkline, drachtio, freeswitch …')
  .action((servers: readonly string[]) => {
    run('logs', '--follow', '--tail', '100', ...servers)
  })
program
  .command('sip-trace')
  .description('Starts drachtio again with every SIP message in its log, and prints it.')
  .action(() => {
    run('up', '--detach', '--no-deps', 'drachtio')
    run('logs', '--follow', '--tail', '0', 'drachtio')
  })
program
  .command('down')
  .description('Stops the stack. Its data stays, unless it is asked to go.')
  .option('--volumes', 'remove the data as well')
  .action((flags: { readonly volumes?: boolean }) => {
    run('down', ...(flags.volumes === true ? ['--volumes'] : []))
  })

function run(...words: readonly string[]): void {
  if (!existsSync(`${ROOT}${SETTINGS}`))
    throw new UsageError(`${SETTINGS} is missing: copy docker/.env.example and set its secrets`)
  const isTraced = process.argv.includes('sip-trace')
  const flags = program.opts<StackFlags>()
  const { status, error } = spawnSync('docker', composeArguments(flags, words), {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...(isTraced ? { SOFIA_LOGLEVEL: '9' } : {}) },
  })
  if (error) throw new FailedError(`docker was not run: ${error.message}`)
  if (status !== 0) throw new FailedError('')
}

process.exitCode = await runProgram(program, process.argv.slice(2), around)
