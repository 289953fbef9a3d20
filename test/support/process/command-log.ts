import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'

interface LogEntry {
  readonly kind: string
  readonly line?: string
  readonly outcome?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A command that the lab received, with and without the parts that vary between calls. */
export interface ToldCommand {
  readonly shape: string
  /** Outcome of a command that runs outside of the lab. */
  readonly outcome: string | undefined
}

/** Reads the new lines of the lab's command log (LAB_COMMAND_LOG); each line is read once. */
export function commandLog(file: string): () => readonly ToldCommand[] {
  const entries: ToldCommand[] = []
  let read = 0
  let rest = ''
  return () => {
    const size = existsSync(file) ? statSync(file).size : 0
    if (size === read) return entries
    const bytes = Buffer.alloc(size - read)
    const descriptor = openSync(file, 'r')
    readSync(descriptor, bytes, 0, bytes.length, read)
    closeSync(descriptor)
    read = size
    const lines = (rest + bytes.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const entry = JSON.parse(Buffer.from(line, 'latin1').toString('utf8')) as LogEntry
      entries.push({ shape: shapeOf(entry), outcome: entry.outcome })
    }
    return entries
  }
}

/** The shape of a command; a quoted value counts as one value. */
function shapeOf({ kind, line = '', headers = {} }: LogEntry): string {
  const app = headers['execute-app-name']
  const text = [kind, line, app, headers['execute-app-arg'], headers['call-command']].join(' ')
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/[0-9a-f]{64}/g, 'DIGEST')
    .replaceAll(/(?<=\/fork\/)[0-9a-f]{32}\b/g, 'TOKEN')
    .replaceAll(/\b[A-Z]{2}[0-9a-f]{32}\b/g, 'SID')
    .replace(
      /(?<=^command api uuid_setvar UUID call_reason )(?:hello|'(?:[^'\\]|\\.)*') *$/,
      'VALUE',
    )
}
