// Preloaded into a server (NODE_OPTIONS=--import). Shifts its wall clock by the hours in the file CLOCK_FILE:
// at the start if the file exists, and again at each SIGUSR2. The monotonic clock and timers are unaffected, as
// when a person sets a clock.
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
