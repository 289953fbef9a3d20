import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.js'

const URL = 'https://provider.test/v1'
const SECRET = 'a-secret-of-the-provider'

it('reads the provider of messages', () => {
  const given = { MESSAGE_PROVIDER_URL: `${URL}/`, MESSAGE_PROVIDER_SECRET: SECRET }
  const { messageProvider } = readConfig(given)
  expect(messageProvider).toEqual({
    url: URL,
    token: undefined,
    secret: SECRET,
    shortCodes: 'refused',
  })
  expect(readConfig({}).messageProvider).toBeUndefined()
  const taken = { ...given, MESSAGE_PROVIDER_SHORT_CODES: 'taken' }
  expect(readConfig(taken).messageProvider).toMatchObject({ shortCodes: 'taken' })
})

it.each([
  [{ MESSAGE_PROVIDER_URL: 'ftp://provider.test', MESSAGE_PROVIDER_SECRET: SECRET }, 'URL'],
  [{ MESSAGE_PROVIDER_URL: URL }, 'SECRET'],
  [{ MESSAGE_PROVIDER_URL: URL, MESSAGE_PROVIDER_SECRET: 'short' }, 'SECRET'],
])('names what is wrong of %j', (given, name) => {
  expect(() => readConfig(given)).toThrow(`MESSAGE_PROVIDER_${name}`)
})

describe('what is set without the URL that it belongs to', () => {
  it.each([
    ['MESSAGE_PROVIDER_TOKEN', 'MESSAGE_PROVIDER_URL'],
    ['MESSAGE_PROVIDER_SECRET', 'MESSAGE_PROVIDER_URL'],
    ['EMERGENCY_PROVIDER_TOKEN', 'EMERGENCY_PROVIDER_URL'],
    ['LOOKUP_PROVIDER_TOKEN', 'LOOKUP_PROVIDER_URL'],
    ['RECOGNISER_KEY', 'RECOGNISER_URL'],
    ['RECOGNISER_MODEL', 'RECOGNISER_URL'],
    ['NUMBER_PROVIDER_TOKEN', 'NUMBER_PROVIDER_URL'],
    ['PORT_CARRIER_TOKEN', 'PORT_CARRIER_URL'],
    ['FILES_ACCESS_KEY_ID', 'FILES_BUCKET'],
    ['FILES_REGION', 'FILES_BUCKET'],
  ])('%s is refused, and says so', (name, url) => {
    expect(() => readConfig({ [name]: SECRET })).toThrow(
      new RegExp(`^${url}: needed because ${name} is set$`),
    )
    expect(() => readConfig({ [name]: ' ' })).not.toThrow()
  })

  it('is refused of short codes', () => {
    expect(() => readConfig({ MESSAGE_PROVIDER_SHORT_CODES: 'taken' })).toThrow(
      /^MESSAGE_PROVIDER_URL: needed because MESSAGE_PROVIDER_SHORT_CODES is set$/,
    )
  })

  it('is refused once where both the token and the secret of messages are', () => {
    const given = { MESSAGE_PROVIDER_TOKEN: 't', MESSAGE_PROVIDER_SECRET: SECRET }
    expect(() => readConfig(given)).toThrow(
      /^MESSAGE_PROVIDER_URL: needed because MESSAGE_PROVIDER_TOKEN is set$/,
    )
  })

  it('is refused of a registry upstream, with everything that it lacks', () => {
    expect(() => readConfig({ REGISTRY_UPSTREAM_SECRET: 's' })).toThrow(
      ['URL', 'KEY', 'SHARE_WITH']
        .map((each) => `REGISTRY_UPSTREAM_${each}: needed because REGISTRY_UPSTREAM_SECRET is set`)
        .join('\n'),
    )
  })
})

describe('a bucket', () => {
  const FILES_REGION = 'eu-central-1'
  const key = { FILES_ACCESS_KEY_ID: 'a', FILES_SECRET_ACCESS_KEY: 's' }

  it('is opened by its name with a region and a key, or by its URL with a key', () => {
    expect(readConfig({ FILES_BUCKET: 'calls', FILES_REGION, ...key }).bucket).toBeDefined()
    const FILES_BUCKET = 'https://store.test/calls'
    expect(readConfig({ FILES_BUCKET, ...key }).bucket).toBeDefined()
  })

  it('is refused by its name alone, with everything that it lacks', () => {
    expect(() => readConfig({ FILES_BUCKET: 'calls' })).toThrow(
      [
        'FILES_ACCESS_KEY_ID: needed because FILES_BUCKET is set',
        'FILES_SECRET_ACCESS_KEY: needed because FILES_BUCKET is set',
        'FILES_REGION: needed because FILES_BUCKET is a name, not a URL',
      ].join('\n'),
    )
  })

  it.each([
    [{ FILES_BUCKET: 'Calls!', FILES_REGION }, /^FILES_BUCKET: is neither/],
    [{ FILES_BUCKET: 'calls', FILES_REGION: 'E U' }, /^FILES_REGION: is not valid/],
    [
      { FILES_BUCKET: 'calls', FILES_REGION, FILES_PREFIX: 'a/../b' },
      /^FILES_PREFIX: is not valid/,
    ],
  ])('of %j is refused by the name of the setting', (given, problem) => {
    expect(() => readConfig({ ...key, ...given })).toThrow(problem)
  })
})

describe('the token of the private listener', () => {
  it('may be any word while the listener is on this machine', () => {
    expect(readConfig({ ADMIN_TOKEN: 'secret' }).admin.token).toBe('secret')
    expect(readConfig({ ADMIN_TOKEN: 'secret', ADMIN_HOST: '::1' }).admin.token).toBe('secret')
    expect(readConfig({ ADMIN_TOKEN: '' }).admin.token).toBeUndefined()
  })

  it.each([
    [{ ADMIN_TOKEN: 'two words of it all' }, /^ADMIN_TOKEN: must be ASCII .* without spaces$/],
    [{ ADMIN_TOKEN: 'schlüssel-schlüssel' }, /^ADMIN_TOKEN: must be ASCII/],
    [
      { ADMIN_TOKEN: 'secret', ADMIN_HOST: '0.0.0.0' },
      /^ADMIN_TOKEN: must have at least 16 characters because ADMIN_HOST is 0\.0\.0\.0$/,
    ],
  ])('is not that of %j, which is not shown', (given, problem) => {
    expect(() => readConfig(given)).toThrow(problem)
    expect(() => readConfig(given)).not.toThrow(/secret|words|schl/)
  })
})

describe('PUBLIC_URL', () => {
  it('may have a path, below which a proxy serves', () => {
    const { publicUrl } = readConfig({ PUBLIC_URL: 'https://voice.test/calls/' })
    expect(publicUrl).toBe('https://voice.test/calls')
  })

  it.each([
    ['voice.test', /^PUBLIC_URL: must be an http or https URL, is "voice\.test"$/],
    ['https://voice .test', /^PUBLIC_URL: must be an http or https URL/],
    ['https://voice.test/a b', /^PUBLIC_URL: must be an http or https URL/],
    ['https://voice.test:0', /^PUBLIC_URL: must be an http or https URL/],
    ['wss://voice.test', /^PUBLIC_URL: must be an http or https URL/],
    ['https://voice.test/?key=1', /^PUBLIC_URL: must be a URL without query and fragment$/],
    ['https://voice.test/#docs', /^PUBLIC_URL: must be a URL without query and fragment$/],
    ['https://ann:pw@voice.test', /^PUBLIC_URL: must be a URL without user and password$/],
  ])('is not %s', (PUBLIC_URL, problem) => {
    expect(() => readConfig({ PUBLIC_URL })).toThrow(problem)
    expect(() => readConfig({ PUBLIC_URL })).not.toThrow(/ann:pw/)
  })
})

describe('SMTP_URL', () => {
  it('may go without a port and without a user', () => {
    expect(readConfig({ SMTP_URL: 'smtp://mail.test' }).mail.smtpUrl).toBe('smtp://mail.test')
    const SMTP_URL = 'smtps://ann:p%25w@mail.test:465'
    expect(readConfig({ SMTP_URL }).mail.smtpUrl).toBe(SMTP_URL)
  })

  it.each([
    ['mail.test', /^SMTP_URL: must have the form smtp:/],
    ['http://mail.test', /^SMTP_URL: must have the form smtp:/],
    ['smtp://mail.test:0', /^SMTP_URL: must have the form smtp:/],
    ['smtp://mail.test/inbox', /^SMTP_URL: must have the form smtp:/],
    ['smtp://ann@mail.test', /^SMTP_URL: needs a user and a password, or neither$/],
    ['smtp://ann:p%zz@mail.test', /^SMTP_URL: has a % that is no escape; write %25$/],
  ])('is not %s', (SMTP_URL, problem) => {
    expect(() => readConfig({ SMTP_URL })).toThrow(problem)
    expect(() => readConfig({ SMTP_URL })).not.toThrow(/ann/)
  })
})

it('tells every mistake at once', () => {
  const given = {
    HTTP_PORT: 'x',
    PUBLIC_URL: 'x',
    LOOKUP_PROVIDER_TOKEN: 'x',
    FILES_BUCKET: 'Calls',
  }
  expect(() => readConfig(given)).toThrow(
    /HTTP_PORT: [^]*PUBLIC_URL: [^]*FILES_ACCESS_KEY_ID: [^]*LOOKUP_PROVIDER_URL: /,
  )
})

it('refuses short codes to block that are none', () => {
  expect(readConfig({ BLOCKED_SHORT_CODES: '666, 72345' }).blockedShortCodes).toEqual([
    '666',
    '72345',
  ])
  expect(() => readConfig({ BLOCKED_SHORT_CODES: '+1900' })).toThrow(/^BLOCKED_SHORT_CODES: /)
})
