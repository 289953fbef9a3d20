/** Mails about ports: one per change, in the order of the changes. */
import type { Accounts } from '../accounts/accounts.js'
import type { Mail, Mailer } from '../mail/mail.js'
import { createMailChannel } from '../mail/mail-channel.js'
import type { Channel } from '../platform/outbox/channel.js'
import { type PortState, STATUS_OF } from './port.js'
import type { PortLinks } from './port-links.js'

/** Snapshot of the change that a mail is about; later changes do not alter it. */
export interface PortMail {
  readonly kind: 'port'
  readonly accountSid: string
  readonly portSid: string
  readonly change: number
  readonly pid: string
  readonly ticket: number
  readonly state: PortState
  readonly isSigned: boolean
  readonly numbers: readonly string[]
  readonly message: string
}

/** A mail about a port-out. */
export interface PortOutMail {
  readonly kind: 'port-out'
  readonly accountSid: string
  readonly portOutSid: string
  readonly e164: string
  readonly gainingCarrier: string
  readonly state: 'pending' | 'complete' | 'cancelled'
}

export type PortingMail = PortMail | PortOutMail

export interface PortMailDeps {
  readonly accounts: Pick<Accounts, 'find'>
  readonly mailer: Mailer
  readonly links: PortLinks
}

/** The outbox channel for mails about ports. */
export function portMailChannel(deps: PortMailDeps): Channel<PortingMail> {
  return createMailChannel<PortingMail>({
    name: 'port-mail',
    mailer: deps.mailer,
    toRow: (mail) => ({
      stream: `port-mail:${mail.kind === 'port' ? mail.portSid : mail.portOutSid}`,
      accountSid: mail.accountSid,
      kind: `${mail.kind}-${mail.state}`,
      payload: mail,
      idempotencyToken: tokenOf(mail),
    }),
    compose: async (row) => {
      const mail = row.payload as PortingMail // written by `toRow`
      const account = await deps.accounts.find(mail.accountSid)
      const to = account?.profile.email
      if (to === undefined) return undefined
      const { subject, text } = mail.kind === 'port' ? aboutPort(mail, deps) : aboutPortOut(mail)
      return { to, subject, text }
    },
  })
}

function tokenOf(mail: PortingMail): string {
  return mail.kind === 'port'
    ? `port-${mail.portSid}-${mail.change}`
    : `port-out-${mail.portOutSid}-${mail.state}`
}

type Words = Omit<Mail, 'to'>

function aboutPort(mail: PortMail, { links }: PortMailDeps): Words {
  const { pid, state, numbers, message, isSigned } = mail
  const needsLetter = state === 'submitted' && !isSigned
  const letter = [
    'Print, sign and upload the letter of authorisation here:',
    links.urlOf('loa', pid),
  ]
  const mend = [
    'Correct the order with PATCH /v2.2/ports/PID and resubmit it with POST /v2.2/ports/PID/resubmit. There is no second fee. A new letter of authorisation goes here:',
    links.urlOf('loa', pid),
  ]
  return {
    subject: `Port ${pid}: ${STATUS_OF[state]}`,
    text: lines(
      message,
      `Numbers: ${numbers.join(', ')}. Ticket: ${mail.ticket}.`,
      ...(needsLetter ? letter : []),
      ...(state === 'exception' ? mend.map((each) => each.replaceAll('PID', pid)) : []),
      `The state of the port: ${links.urlOf('port', pid)}`,
    ),
  }
}

const PORT_OUT_WORDS: Readonly<Record<PortOutMail['state'], string>> = {
  pending:
    'has asked for your number, with its port-out PIN. If it was not you, tell your operator at once.',
  complete:
    'has your number now. It is no longer on your account, and its monthly charge has ended.',
  cancelled:
    'does not take your number: the port-out was cancelled. The number stays on your account.',
}

function aboutPortOut({ e164, gainingCarrier, state }: PortOutMail): Words {
  return {
    subject: `Port-out of ${e164}: ${state}`,
    text: lines(`Another carrier (${gainingCarrier}) ${PORT_OUT_WORDS[state]}`, `Number: ${e164}.`),
  }
}

function lines(...paragraphs: readonly string[]): string {
  return `${paragraphs.join('\n\n')}\n`
}
