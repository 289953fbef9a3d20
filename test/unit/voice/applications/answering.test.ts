import { expect, it } from 'vitest'
import type { VoiceSettings } from '../../../../src/accounts/settings.js'
import { answeringOf } from '../../../../src/voice/applications/answering.js'
import type { Application } from '../../../../src/voice/applications/applications.js'
import { type Binding, NO_BINDING } from '../../../../src/voice/applications/binding.js'
import { NO_WEBHOOKS } from '../../../../src/voice/applications/webhook-settings.js'

const APPLICATION: Application = {
  ...NO_WEBHOOKS,
  sid: 'AP1',
  accountSid: 'AC1',
  friendlyName: '',
  statusCallbackEvents: [],
  messageStatusCallback: undefined,
  createdAt: 0,
  updatedAt: 0,
}

const called = (binding: Partial<Binding>, application?: Partial<Application>) => ({
  number: {
    sid: 'PN1',
    accountSid: 'AC1',
    e164: '+15551112222',
    kind: 'local' as const,
    capabilities: { voice: true, sms: false, mms: false, fax: false },
    createdAt: 0,
    updatedAt: 0,
  },
  binding: { ...NO_BINDING, ...binding },
  application: application && { ...APPLICATION, ...application },
  updatedAt: 0,
})

const document = (url: string) => ({ type: 'url', url, method: 'POST', fallbackMethod: 'POST' })
const status = (url: string, events = ['completed']) => ({ url, method: 'POST', events })

it.each<[string, ReturnType<typeof called>, VoiceSettings, unknown]>([
  ['nothing is set', called({}), {}, undefined],
  [
    'the number has a URL',
    called({ voiceUrl: 'u', statusCallback: 's' }),
    { url: 'account' },
    { document: document('u'), statusCallback: status('s') },
  ],
  [
    'only the account has a URL',
    called({ statusCallback: 's' }),
    { url: 'account', method: 'GET', fallbackUrl: 'f' },
    {
      document: { ...document('account'), method: 'GET', fallbackUrl: 'f' },
      statusCallback: status('s'),
    },
  ],
  [
    'the number names an application',
    called(
      { voiceUrl: 'u', voiceFallbackUrl: 'f', statusCallback: 's' },
      { voiceUrl: 'a', statusCallback: 'as', statusCallbackEvents: ['ringing', 'completed'] },
    ),
    { url: 'account' },
    {
      document: document('a'),
      statusCallback: status('as', ['ringing', 'completed']),
      applicationSid: 'AP1',
    },
  ],
  [
    'the application has no status callback',
    called({ voiceUrl: 'u', statusCallback: 's' }, { voiceUrl: 'a' }),
    {},
    { document: document('a'), applicationSid: 'AP1' },
  ],
  [
    'the application has no URL',
    called({ voiceUrl: 'u', statusCallback: 's' }, {}),
    { url: 'account' },
    undefined,
  ],
])('a call is answered when %s', (_situation, number, account, expected) => {
  expect(answeringOf(number, account)).toEqual(expected)
})
