import type { Surroundings } from './surroundings.js'

/** The environment of a command in a terminal. */
export function processSurroundings(): Surroundings {
  const stop = new AbortController()
  // A closed pipe is not an error: readers such as `head` stop early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  return {
    env: process.env,
    print: (line) => {
      process.stdout.write(`${line}\n`)
    },
    complain: (line) => {
      process.stderr.write(`${line}\n`)
    },
    isColoured: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
    interrupted: () => {
      process.once('SIGINT', () => {
        stop.abort()
      })
      return stop.signal
    },
  }
}
