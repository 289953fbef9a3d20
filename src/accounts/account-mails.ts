/**
 * Mails about accounts. Each is composed when it is sent, so that a request takes equally long for every
 * address.
 */
import { createHash } from 'node:crypto'
import type { Mail, Mailer } from '../mail/mail.js'
import { createMailChannel } from '../mail/mail-channel.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import type { Channel } from '../platform/outbox/channel.js'
import type { OutboxRow } from '../platform/outbox/outbox-row.js'
import type { Vault } from '../platform/secrets.js'
import { countLinks, insertLink, linkToken } from './account-links.js'
import type { Account, Accounts } from './accounts.js'
import type { LinkPurpose } from './link-tables.js'

/** A mail about one account, or to an address that may have accounts. */
export type AccountMail =
  | { readonly kind: 'verification'; readonly accountSid: string }
  | { readonly kind: 'recovery'; readonly email: string }
  | { readonly kind: 'password-changed'; readonly accountSid: string }
  | {
      readonly kind: 'campaigns-required'
      readonly accountSid: string
      readonly numbers: readonly string[]
    }

export interface AccountMailDeps {
  readonly db: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'find' | 'findByEmail'>
  readonly mailer: Mailer
  /** Public base URL of the server, for links. */
  readonly publicUrl: string
}

const HOUR_MS = 3_600_000
/** Lifetimes of links from the request on, ms. */
const LIVES: Readonly<Record<LinkPurpose, number>> = { verify: 24 * HOUR_MS, recover: HOUR_MS }
/** Maximum number of recovery links per account and hour, against floods of mail. */
const MAX_RECOVERIES = 3
/** Maximum number of accounts per address that a recovery mail has links for. */
const MAX_ACCOUNTS = 20
/** Maximum number of mails per address and hour about sign-ups. */
const MAX_SIGN_UPS = 3
/** Outbox `accountSid` of mails without a known account. */
const NO_ACCOUNT = 'mail'

/** The outbox's channel for mails about accounts. */
export function accountMailChannel(deps: AccountMailDeps): Channel<AccountMail> {
  return createMailChannel<AccountMail>({
    name: 'account-mail',
    mailer: deps.mailer,
    toRow: (mail) => ({
      stream: `account-mail:${streamOf(mail)}`,
      accountSid: mail.kind === 'recovery' ? NO_ACCOUNT : mail.accountSid,
      kind: mail.kind,
      payload: mail,
    }),
    compose: (row) => compose(row, deps),
  })
}

function streamOf(mail: AccountMail): string {
  if (mail.kind !== 'recovery') return mail.accountSid
  return createHash('sha256').update(mail.email.toLowerCase()).digest('hex')
}

async function compose(row: OutboxRow, deps: AccountMailDeps): Promise<Mail | undefined> {
  const mail = row.payload as AccountMail // written by `toRow`
  if (mail.kind === 'recovery') return await recovery(row, mail.email, deps)
  const account = await deps.accounts.find(mail.accountSid)
  const to = account?.profile.email
  if (account === undefined || to === undefined) return undefined
  if (mail.kind === 'verification') return await verification(row, account, to, deps)
  if (mail.kind === 'campaigns-required') return campaignsRequired(mail.numbers, to)
  return passwordChanged(account, to)
}

async function verification(
  row: OutboxRow,
  account: Account,
  to: string,
  deps: AccountMailDeps,
): Promise<Mail | undefined> {
  if (account.status !== 'unverified') return undefined
  const ofAddress = await deps.accounts.findByEmail(to, MAX_ACCOUNTS)
  const isOlder = (each: Account) =>
    each.status === 'unverified' &&
    each.createdAt <= account.createdAt &&
    each.createdAt > account.createdAt - HOUR_MS &&
    each.sid !== account.sid
  if (ofAddress.filter(isOlder).length >= MAX_SIGN_UPS) return undefined
  const token = await linkOf(row, account, 'verify', deps)
  return {
    to,
    subject: 'Confirm your address of mail',
    text: lines(
      `Somebody, probably you, has made an account with this address. Its username is ${account.profile.username}.`,
      'Open this page within 24 hours and confirm, and the account can be used:',
      `${deps.publicUrl}/v2.2/account/verification/${token}`,
      'If it was not you, do nothing: the account will be removed.',
    ),
  }
}

async function recovery(
  row: OutboxRow,
  email: string,
  deps: AccountMailDeps,
): Promise<Mail | undefined> {
  const accounts = await deps.accounts.findByEmail(email, MAX_ACCOUNTS)
  const pages: string[] = []
  for (const account of accounts) {
    if (account.status === 'unverified') continue
    const token = linkToken(deps.vault, row.idempotencyToken, account.sid)
    const before = { accountSid: account.sid, purpose: 'recover', token } as const
    const count = await countLinks(deps.db.read, before, deps.clock.now() - HOUR_MS)
    if (count >= MAX_RECOVERIES) continue
    await linkOf(row, account, 'recover', deps)
    const { username } = account.profile
    pages.push(`${username}: ${deps.publicUrl}/v2.2/account/recovery/${token}`)
  }
  // Sent to the stored address, whatever spelling the request used.
  const to = accounts.find(({ status }) => status !== 'unverified')?.profile.email
  if (to === undefined || pages.length === 0) return undefined
  return {
    to,
    subject: 'Set a new password',
    text: lines(
      'Somebody, probably you, has asked for a new password. Set it on this page within an hour:',
      ...pages,
      'A link works once. If it was not you, do nothing: the password stays as it is.',
    ),
  }
}

function passwordChanged({ profile }: Account, to: string): Mail {
  return {
    to,
    subject: 'Your password was changed',
    text: lines(
      `The password of the account ${profile.username} was changed. Its API key is a new one, and the former key has stopped.`,
      'If it was not you, ask for a new password at once.',
    ),
  }
}

function campaignsRequired(numbers: readonly string[], to: string): Mail {
  return {
    to,
    subject: 'Your numbers will need a 10DLC campaign',
    text: lines(
      'Messaging was enabled for numbers without an approved 10DLC campaign ID:',
      ...numbers,
      'Such an ID will soon be required to enable messaging, and local numbers send nothing without one. Register a campaign, and enable the numbers with its ID.',
    ),
  }
}

/** Stores the link of a mail and resolves with its token; a resent mail has the same token. */
async function linkOf(
  row: OutboxRow,
  { sid }: Account,
  purpose: LinkPurpose,
  { db, vault }: AccountMailDeps,
): Promise<string> {
  const token = linkToken(vault, row.idempotencyToken, sid)
  const { createdAt } = row
  const expiresAt = createdAt + LIVES[purpose]
  await db.write((tx) => insertLink(tx, { token, accountSid: sid, purpose, createdAt, expiresAt }))
  return token
}

function lines(...paragraphs: readonly string[]): string {
  return `${paragraphs.join('\n\n')}\n`
}
