import { join } from 'node:path'
import type { Mailer } from '../mail/mail.js'
import { createMailFolder } from '../mail/mail-folder.js'
import { createSmtpMailer } from '../mail/smtp-mailer.js'
import type { Base } from './base.js'

/** Returns the mailer: an SMTP server if configured, else a folder of mail files. */
export function wireMail({ config, dataDir, log }: Base): Mailer {
  const { smtpUrl: url, from } = config.mail
  return url === undefined
    ? createMailFolder({ folder: join(dataDir, 'mail'), from, log })
    : createSmtpMailer({ url, from })
}
