import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { SerialQueue } from '../platform/async/serial-queue.js'
import type { Logger } from '../platform/log.js'
import { MailError, type Mailer, type SentMail } from './mail.js'
import { messageOf } from './mail-message.js'

/** The mails that are kept; older ones make room. */
const MAX_KEPT = 1_000
const SUFFIX = '.eml'
/** The digits of a time in a name, so that names sort by time. */
const TIME_DIGITS = 14

export interface MailFolder extends Mailer {
  /** Lists the names of the mails that are kept, the newest first. */
  list(): Promise<readonly string[]>
}

/**
 * Keeps mails as files instead of sending them: what a server without SMTP does. A mail that is sent
 * again takes the place of the one before. One that cannot be written is logged, and is for a later
 * attempt.
 */
export function createMailFolder({
  folder,
  from,
  log,
  maxKept = MAX_KEPT,
}: {
  readonly folder: string
  readonly from: string
  readonly log: Logger
  readonly maxKept?: number
}): MailFolder {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const turns = new SerialQueue()
  const list = async (): Promise<readonly string[]> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const names = await readdir(folder)
    return names
      .filter((name) => name.endsWith(SUFFIX))
      .sort()
      .reverse()
  }
  return {
    list,
    send: async (mail) => {
      const { message } = await transport.sendMail(messageOf(mail, from))
      // The transport is configured to return a buffer.
      await turns.run(async () => {
        try {
          await mkdir(folder, { recursive: true, mode: 0o700 })
          await writeWhole(join(folder, nameOf(mail)), message as Buffer)
          for (const old of (await list()).slice(maxKept))
            await rm(join(folder, old), { force: true })
        } catch (error) {
          log.error({ err: error, id: mail.id }, 'could not keep a mail in its folder')
          throw notKept(error)
        }
      })
    },
  }
}

/** A disk that is full, or a folder that is in the way, may be mended while the mail waits. */
function notKept(cause: unknown): MailError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return new MailError(`the folder of mails takes none${code}`, { cause, isRetryable: true })
}

function nameOf({ at, id }: SentMail): string {
  return `${String(at).padStart(TIME_DIGITS, '0')}-${id.replaceAll(/[^\w-]/g, '_')}${SUFFIX}`
}

/** Writes a file that is there as a whole or not at all, also after a power cut. */
async function writeWhole(path: string, content: Buffer): Promise<void> {
  const part = `${path}.part`
  const file = await open(part, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, path)
}
