#!/usr/bin/env node
import { processSurroundings } from './trunkline/process-surroundings.js'
/** `trunkline`: the command line of a server. `trunkline --help` lists its commands. */
import { createProgram, runProgram } from './trunkline/program.js'

const around = processSurroundings()
const code = await runProgram(createProgram(around), process.argv.slice(2), around)
// A server that failed to start has set its own exit code already.
if (code !== 0) process.exitCode = code
