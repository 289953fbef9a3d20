/** Account fields that the account API shows and changes. Pure. */
import type { Selectable } from '../platform/database/tables.js'
import type { AccountSid } from '../platform/ids.js'
import type { AccountsTable } from './tables.js'

/** Services that may be enabled for an account. */
export interface ServiceFlags {
  readonly sms: boolean
  readonly rcid: boolean
  readonly mms: boolean
  readonly bypassMedia: boolean
  readonly e911: boolean
  readonly intl: boolean
  readonly cnam: boolean
  readonly dialer: boolean
}

/** Authentication of the account's SIP requests. 0: digest. 1: access list. 2: either. 3: both. */
export type AuthType = 0 | 1 | 2 | 3

export interface AccountProfile {
  /** Unique name of the account: ten digits. */
  readonly username: string
  /** True for an account that may create others and set fields that customers may not. */
  readonly isAdministrator: boolean
  /** The master account, which pays; undefined for an account that pays itself. */
  readonly masterSid: AccountSid | undefined
  readonly email: string | undefined
  /** Promotion code from the sign-up, for the operator. */
  readonly promo: string | undefined
  /** An IANA time zone. */
  readonly timezone: string
  /** True when low-balance notifications are sent. */
  readonly notify: boolean
  /** Low-balance threshold, dollars. */
  readonly notifyThreshold: number
  /** Default caller ID of outbound calls: ten digits. */
  readonly callerId: string | undefined
  readonly services: ServiceFlags
  readonly authType: AuthType
}

/** A change of a profile: absent fields keep their value, undefined ones are cleared. */
export type ProfileChange = Partial<
  Omit<AccountProfile, 'services' | 'username'> & { readonly services: Partial<ServiceFlags> }
>

const NO_SERVICES: ServiceFlags = {
  sms: false,
  rcid: false,
  mms: false,
  bypassMedia: false,
  e911: false,
  intl: false,
  cnam: false,
  dialer: false,
}

/** Names of all services, in display order. */
export const SERVICES = [
  'sms',
  'rcid',
  'mms',
  'bypassMedia',
  'e911',
  'intl',
  'cnam',
  'dialer',
] as const satisfies readonly (keyof ServiceFlags)[]

/** The profile of a new account: messaging is enabled until an administrator disables it. */
export function newProfile(username: string, change: ProfileChange): AccountProfile {
  const fresh: AccountProfile = {
    username,
    isAdministrator: false,
    masterSid: undefined,
    email: undefined,
    promo: undefined,
    timezone: 'UTC',
    notify: false,
    notifyThreshold: 0,
    callerId: undefined,
    services: { ...NO_SERVICES, sms: true, mms: true },
    authType: 0,
  }
  return changedProfile(fresh, change)
}

export function changedProfile(profile: AccountProfile, change: ProfileChange): AccountProfile {
  return { ...profile, ...change, services: { ...profile.services, ...change.services } }
}

/** Returns a mail address in lower case, for lookups. */
export function foldedEmail(email: string): string {
  return email.toLowerCase()
}

type ProfileColumns = Pick<
  Selectable<AccountsTable>,
  | 'username'
  | 'isAdministrator'
  | 'masterSid'
  | 'email'
  | 'emailFolded'
  | 'promo'
  | 'timezone'
  | 'notify'
  | 'notifyThreshold'
  | 'callerId'
  | 'services'
  | 'authType'
>

export function profileColumns(profile: AccountProfile): ProfileColumns {
  return {
    username: profile.username,
    isAdministrator: profile.isAdministrator ? 1 : 0,
    masterSid: profile.masterSid ?? null,
    email: profile.email ?? null,
    emailFolded: profile.email === undefined ? null : foldedEmail(profile.email),
    promo: profile.promo ?? null,
    timezone: profile.timezone,
    notify: profile.notify ? 1 : 0,
    notifyThreshold: profile.notifyThreshold,
    callerId: profile.callerId ?? null,
    services: JSON.stringify(profile.services),
    authType: profile.authType,
  }
}

/** Parses the column `services`. */
export function readServices(column: string): ServiceFlags {
  return { ...NO_SERVICES, ...(JSON.parse(column) as Partial<ServiceFlags>) } // written by `profileColumns`
}

export function toProfile(row: ProfileColumns): AccountProfile {
  return {
    username: row.username,
    isAdministrator: row.isAdministrator === 1,
    // Only `profileColumns` writes these columns.
    masterSid: (row.masterSid ?? undefined) as AccountSid | undefined,
    email: row.email ?? undefined,
    promo: row.promo ?? undefined,
    timezone: row.timezone,
    notify: row.notify === 1,
    notifyThreshold: row.notifyThreshold,
    callerId: row.callerId ?? undefined,
    services: readServices(row.services),
    authType: row.authType as AuthType,
  }
}
