import type { CopyProgress } from '../../../platform/database/backup/copy-sqlite.js'

const REPORT_EVERY_MS = 500
const SECOND_MS = 1_000
const MEGABYTE = 1_000_000

interface Screen {
  readonly isJson: boolean
  readonly complain: (line: string) => void
}

/** Writes how far a copy is to standard error, not too often. */
export function copyReporter({ isJson, complain }: Screen): (progress: CopyProgress) => void {
  const startedAt = performance.now()
  let reportedAt = startedAt
  return ({ bytes, ofBytes }) => {
    const now = performance.now()
    if (now - reportedAt < REPORT_EVERY_MS) return
    reportedAt = now
    const bytesPerSecond = Math.round((bytes * SECOND_MS) / (now - startedAt))
    const secondsLeft = bytes === 0 ? null : Math.round((ofBytes - bytes) / bytesPerSecond)
    if (isJson) complain(JSON.stringify({ bytes, ofBytes, bytesPerSecond, secondsLeft }))
    else
      complain(
        `copied ${mega(bytes)} of ${mega(ofBytes)} MB, ${mega(bytesPerSecond)} MB/s${
          secondsLeft === null ? '' : `, ${secondsLeft} s left`
        }`,
      )
  }
}

function mega(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(0)
}
