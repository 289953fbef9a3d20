/**
 * Runs the lab in its process. The parent tells it to start, and it tells its ports. It ends with
 * its parent, or when the parent disconnects. An unexpected error ends it too: the parent then
 * starts another.
 */
import { createLogger, type Logger } from '../platform/log.js'
import type { LabCommand, LabReport } from './lab-protocol.js'
import { type LabServers, startLabServers } from './lab-servers.js'

/** Time after which a server that has not closed is abandoned and the process exits, ms. */
const CLOSE_LIMIT_MS = 8_000

let log: Logger = createLogger('info', { name: 'lab' })
let servers: LabServers | undefined
let isEnding = false

process.on('message', (command: LabCommand) => {
  run(command).catch((err: unknown) => {
    const { code, port } = listenFailure(err)
    // The parent itself reports an address that is in use, with the names of its settings.
    if (port === undefined) log.fatal({ err }, 'the lab failed')
    tell({ type: 'failed', reason: err instanceof Error ? err.message : String(err), code, port })
    end(1)
  })
})
process.on('disconnect', () => {
  end(0)
})
// Ctrl-C reaches the whole process group, and systemd sends SIGTERM to every process of a service.
// The parent decides when the lab has to go: live calls may last for `DRAIN_SECONDS`.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)

/** Returns the code and port of a failed listen; the system leaves out a port of 0. */
function listenFailure(error: unknown): { readonly code?: string; readonly port?: number } {
  // System errors have these fields.
  const { code = '', syscall = '', port = 0 } = error as Partial<NodeJS.ErrnoException> & Port
  return ['bind', 'listen'].includes(syscall) ? { code, port } : {}
}

interface Port {
  readonly port?: number
}

async function run(command: LabCommand): Promise<void> {
  switch (command.type) {
    case 'start': {
      const { logLevel, logFormat } = command.options
      log = createLogger(logLevel, { name: 'lab', format: logFormat ?? 'auto' })
      servers = await startLabServers({
        ...command,
        log,
        onFailure: (err) => {
          log.fatal({ err }, 'the media thread died; restarting the lab')
          end(1)
        },
      })
      tell({ type: 'ready', ports: servers.ports, sipContacts: servers.sipContacts })
      return
    }
    case 'stats':
      if (servers !== undefined)
        tell({ type: 'stats', request: command.request, stats: await servers.stats() })
  }
}

function tell(report: LabReport): void {
  if (process.connected) process.send?.(report)
}

function end(code: number): void {
  if (isEnding) return
  isEnding = true
  const giveUp = setTimeout(() => {
    log.error('the lab did not close in time')
    process.exit(1)
  }, CLOSE_LIMIT_MS)
  giveUp.unref()
  Promise.resolve(servers?.[Symbol.asyncDispose]())
    .catch((err: unknown) => {
      log.error({ err }, 'the lab did not close in order')
    })
    .finally(() => {
      process.exit(code)
    })
}
