import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { EnvReader } from '../../../src/config/env-reader.js'
import { readConfig } from '../../../src/config.js'

/** Every name of the README's table of settings. */
const SETTINGS = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\| `[A-Z]/.test(line))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)])
  .map(([, name = '']) => name)

const problemsOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return String(error)
  }
}

describe('a misspelt setting', () => {
  it.each([
    ['MAX_CALS', 'MAX_CALLS'],
    ['MAXCALLS', 'MAX_CALLS'],
    ['CALLS_MAX', 'MAX_CALLS'],
    ['max_calls', 'MAX_CALLS'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['HTPP_PORT', 'HTTP_PORT'],
    ['CALLS_PER_SEC', 'CALLS_PER_SECOND'],
    ['WEBHOOK_SIGNATURE_HEADER', 'WEBHOOK_SIGNATURE_HEADERS'],
    ['SMPP_URL', 'SMPP_URLS'],
    ['MAX_WAITING_CALLS', 'MAX_QUEUED_CALLS'],
    // Read only with real servers, or with a bucket.
    ['MEDIA_CALLBACK_HOTS', 'MEDIA_CALLBACK_HOST'],
    ['FILES_REGOIN', 'FILES_REGION'],
  ])('%s is refused, and %s is named', (given, nearest) => {
    expect(problemsOf({ [given]: '1' })).toBe(
      `ConfigError: ${given}: is no setting; did you mean ${nearest}?`,
    )
  })

  it('is found for every name of the table, when a letter is lost', () => {
    expect(SETTINGS.length).toBeGreaterThan(70)
    for (const name of SETTINGS) {
      const given = `${name.slice(0, 2)}${name.slice(3)}`
      expect(problemsOf({ [given]: '1' }), given).toContain(`${given}: is no setting`)
    }
  })
})

it("every setting that is read has a row in the README's table", () => {
  const read = vi.spyOn(EnvReader.prototype, 'optional')
  readConfig({})
  const names = new Set(read.mock.calls.map(([name]) => name))
  expect(names.size).toBeGreaterThan(60)
  expect([...names].filter((name) => !SETTINGS.includes(name))).toEqual([])
})

describe('not a setting of ours', () => {
  it.each(SETTINGS)('%s is', (name) => {
    expect(problemsOf({ [name]: '?' })).not.toContain('is no setting')
  })

  it.each([
    ...[
      'PATH',
      'HOME',
      'HOSTNAME',
      'LOGNAME',
      'LANG',
      'NODE_ENV',
      'NODE_OPTIONS',
      'NO_COLOR',
      'CI',
    ],
    ...[
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'NO_PROXY',
      'http_proxy',
      'SMTP_HOST',
      'SMTP_PORT',
      'SIP_USER',
    ],
    ...['PGHOST', 'PGPASSWORD', 'DISPLAY', 'XDG_DATA_DIRS', 'XDG_DATA_HOME', 'SSH_AUTH_SOCK'],
    ...['npm_config_cache', 'npm_package_name', 'INIT_CWD', 'KUBERNETES_SERVICE_HOST'],
    ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'INVOCATION_ID', 'LOG_DIR'],
  ])('%s of other programs is left alone', (name) => {
    expect(problemsOf({ [name]: '1' })).toBe('')
  })
})
