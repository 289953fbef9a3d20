import { expect, it } from 'vitest'
import { checkSettings } from '../../../../src/cli/trunkline/doctor/check-settings.js'
import { readConfig } from '../../../../src/config.js'

/** The findings, each as its level and its text. */
function examine(env: Readonly<Record<string, string>>): readonly string[] {
  const config = readConfig(env)
  const facts = { config, env, flags: {}, url: '', readiness: undefined }
  return checkSettings(facts).map(({ level, text }) => `${level}: ${text}`)
}

const FINE = 'ok: valid; telephony by the lab'

it.each([
  ['FIRST_ACCOUNT_SID', `AC${'1'.repeat(32)}`],
  ['FIRST_ACCOUNT_TOKEN', '2'.repeat(32)],
])('%s by itself is nothing to warn of: the other one is made', (name, value) => {
  expect(examine({ [name]: value })).toEqual([FINE])
})

it('a private listener that others reach is', () => {
  expect(examine({ ADMIN_HOST: '192.0.2.1', ADMIN_TOKEN: '3'.repeat(32) })).toEqual([
    FINE,
    'warn: ADMIN_HOST is 192.0.2.1: others can reach the private listener',
  ])
})

it.each([
  [{ HTTP_HOST: '0.0.0.0' }, 'warn: PUBLIC_URL is not set, and HTTP_HOST is 0.0.0.0'],
  [
    { PUBLIC_URL: 'http://voice.example' },
    'warn: PUBLIC_URL is http://voice.example: credentials go unencrypted',
  ],
])('an address that customers cannot use, or use unencrypted, is: %o', (env, warning) => {
  expect(examine(env)).toEqual([FINE, warning])
})
