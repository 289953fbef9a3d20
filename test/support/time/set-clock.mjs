// Preloaded into a server (NODE_OPTIONS=--import): SIGUSR2 sets its wall clock by the hours in the file
// that CLOCK_FILE names. The monotonic clock and timers go on, as they do when a person sets a clock.
import { readFileSync } from 'node:fs'

const file = process.env.CLOCK_FILE
if (file !== undefined) {
  const RealDate = Date
  const realNow = Date.now.bind(Date)
  let offsetMs = 0
  const now = () => realNow() + offsetMs
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(now())
      else super(...args)
    }
    static now() {
      return now()
    }
  }
  process.on('SIGUSR2', () => {
    offsetMs = Number(readFileSync(file, 'utf8')) * 3_600_000
  })
}
