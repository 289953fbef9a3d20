#!/usr/bin/env node
import { processSurroundings } from './trunkline/process-surroundings.js'
/** `trunkline`: the command line of a server. `trunkline --help` lists what it does. */
import { createProgram, runProgram } from './trunkline/program.js'

const around = processSurroundings()
const code = await runProgram(createProgram(around), process.argv.slice(2), around)
// A server that did not start has set its own code by now.
if (code !== 0) process.exitCode = code
