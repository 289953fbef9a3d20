import { expect, it } from 'vitest'
import { readConfig } from '../../../src/config.js'

const URL = 'https://provider.test/v1'
const SECRET = 'a-secret-of-the-provider'

it('reads the provider of messages', () => {
  const given = { MESSAGE_PROVIDER_URL: `${URL}/`, MESSAGE_PROVIDER_SECRET: SECRET }
  const { messageProvider } = readConfig(given)
  expect(messageProvider).toEqual({ url: URL, token: undefined, secret: SECRET })
  expect(readConfig({}).messageProvider).toBeUndefined()
})

it.each([
  [{ MESSAGE_PROVIDER_URL: 'ftp://provider.test', MESSAGE_PROVIDER_SECRET: SECRET }, 'URL'],
  [{ MESSAGE_PROVIDER_URL: URL }, 'SECRET'],
  [{ MESSAGE_PROVIDER_URL: URL, MESSAGE_PROVIDER_SECRET: 'short' }, 'SECRET'],
])('names what is wrong of %j', (given, name) => {
  expect(() => readConfig(given)).toThrow(`MESSAGE_PROVIDER_${name}`)
})
