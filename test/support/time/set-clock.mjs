// Preloaded into a server (NODE_OPTIONS=--import): its wall clock is off by the hours in the file that
// CLOCK_FILE names, from the start on when there is one, and SIGUSR2 sets it by that file. The monotonic
// clock and timers go on, as they do when a person sets a clock.
import { existsSync, readFileSync } from 'node:fs'

const file = process.env.CLOCK_FILE
if (file !== undefined) {
  const RealDate = Date
  const realNow = Date.now.bind(Date)
  const offsetNow = () => Number(readFileSync(file, 'utf8')) * 3_600_000
  let offsetMs = existsSync(file) ? offsetNow() : 0
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
    offsetMs = offsetNow()
  })
}
