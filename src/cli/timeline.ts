/** `npm run timeline -- CALLSID`: the same as `trunkline logs CALLSID`. */
import { Command } from 'commander'
import { describeLogs } from './trunkline/commands/logs.js'
import { processSurroundings } from './trunkline/process-surroundings.js'
import { prepare, runProgram } from './trunkline/program.js'

const around = processSurroundings()
const command = prepare(new Command('npm run timeline --'), around)
  .usage('CALLSID [options]')
  .showHelpAfterError(true)
process.exitCode = await runProgram(describeLogs(command, around), process.argv.slice(2), around)
