import { z } from '@hono/zod-openapi'
import { refuse } from '../../model/registry-error.js'
import { mailDomain } from '../../rules/mail.js'
import type { Csps } from '../../services/csps/csps.js'
import type { Csp } from '../../storage/csps.js'
import { described } from '../dialect/field-descriptions.js'
import { operation, type RegistryOperation } from '../dialect/operation.js'

const MAILS = ['escalateEmail', 'email', 'techEmail', 'financeEmail'] as const

const mail = z.string().max(100).nullish()
const profileBody = z.object(
  described({
    escalateEmail: mail,
    email: mail,
    techEmail: mail,
    financeEmail: mail,
  }),
)
const text = () => z.string().nullable()
const profileResource = z
  .object(
    described({
      cspId: z.string(),
      escalateEmail: text(),
      email: text(),
      techEmail: text(),
      financeEmail: text(),
      platformFreeTrialEnabled: z.boolean(),
      soleProprietorEnabled: z.boolean(),
      ucaasEnabled: z.boolean(),
      publicSafetyEnabled: z.boolean(),
      dpaSigned: z.boolean(),
    }),
  )
  .openapi('CspProfile')
const migrationSettings = z
  .object(described({ migrationSupported: z.boolean(), migrationAutoComplete: z.boolean() }))
  .openapi('CnpMigrationSettings')

/** The operations on the CSP's own profile and settings. */
export function cspOperations(csps: Csps): RegistryOperation[] {
  return [
    operation({
      id: 'getCspProfile',
      summary: 'Get the profile of the CSP',
      method: 'get',
      path: '/csp/profile',
      row: 'Get / update CSP profile',
      response: profileResource,
      run: ({ caller: csp }) => whenActive(csp, profileToWire),
    }),
    operation({
      id: 'updateCspProfile',
      summary: 'Change the contacts of the CSP',
      method: 'put',
      path: '/csp/profile',
      row: 'Get / update CSP profile',
      body: profileBody,
      response: profileResource,
      run: async ({ caller: csp, body }) => {
        const given = MAILS.filter((name) => body[name] !== undefined)
        const bad = given.filter((name) => !isClearing(body[name]) && !isMail(body[name]))
        if (bad.length > 0) throw refuse(501, bad, 'not an e-mail address')
        const change = Object.fromEntries(
          given.map((name) => [name, isClearing(body[name]) ? undefined : body[name]]),
        )
        return profileToWire(await csps.update(csp.cspId, change))
      },
    }),
    operation({
      id: 'getCnpMigrationSettings',
      summary: "Get the CSP's settings for migrations of campaigns",
      method: 'get',
      path: '/settings/cnpMigration',
      row: 'Get / update CNP migration settings',
      response: migrationSettings,
      run: ({ caller: csp }) => whenActive(csp, settingsToWire),
    }),
    operation({
      id: 'updateCnpMigrationSettings',
      summary: "Change the CSP's settings for migrations of campaigns",
      method: 'put',
      path: '/settings/cnpMigration',
      row: 'Get / update CNP migration settings',
      body: migrationSettings.partial(),
      response: migrationSettings,
      run: async ({ caller: csp, body }) => {
        const given = Object.entries(body).filter(([, value]) => value !== undefined)
        return settingsToWire(await csps.update(csp.cspId, Object.fromEntries(given)))
      },
    }),
  ]
}

function whenActive<Wire>(csp: Csp, toWire: (csp: Csp) => Wire): Promise<Wire> {
  return csp.status === 'ACTIVE'
    ? Promise.resolve(toWire(csp))
    : Promise.reject(refuse(504, [], 'the CSP is suspended'))
}

function isClearing(value: string | null | undefined): boolean {
  return value === null || value === ''
}

function isMail(value: string | null | undefined): boolean {
  return typeof value === 'string' && mailDomain(value) !== undefined
}

function profileToWire(csp: Csp) {
  return {
    cspId: csp.cspId,
    escalateEmail: csp.escalateEmail ?? null,
    email: csp.email ?? null,
    techEmail: csp.techEmail ?? null,
    financeEmail: csp.financeEmail ?? null,
    platformFreeTrialEnabled: csp.platformFreeTrialEnabled,
    soleProprietorEnabled: csp.soleProprietorEnabled,
    ucaasEnabled: csp.ucaasEnabled,
    publicSafetyEnabled: csp.publicSafetyEnabled,
    dpaSigned: csp.dpaSigned,
  }
}

function settingsToWire({ migrationSupported, migrationAutoComplete }: Csp) {
  return { migrationSupported, migrationAutoComplete }
}
