import { expect, it } from 'vitest'
import type { Account } from '../../../../src/accounts/accounts.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi, voiceOperations } from '../../../../src/voice/api/voice-api.js'
import { setUpApi } from '../../../support/voice/api-fixture.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

/** A participant may be invited to a room that does not exist yet: the path names it, not a sid. */
const CREATES_ITS_TARGET = ['createParticipant']
const JUNK = {
  Status: 'junk',
  Url: '\u0000',
  RecordingChannels: 'nine',
  FriendlyName: 'x'.repeat(999),
}

it('an absent target is answered before a wrong form [B18]', async () => {
  await using bench = await setUpCalls()
  const log = createLogger('silent')
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log,
    mount: [createVoiceApi({ ...bench, log })],
  })
  const targeted = voiceOperations({ ...bench, log }).filter(
    ({ id, method, path }) =>
      method === 'post' &&
      path.replace('{AccountSid}', '').includes('Sid}') &&
      !CREATES_ITS_TARGET.includes(id),
  )
  expect(targeted.length).toBeGreaterThan(9)
  const answers = await Promise.all(
    targeted.map(async ({ id, path }) => {
      const answer = await app.request(`/2010-04-01${pathOfNobody(path, bench.account)}`, {
        method: 'POST',
        headers: { authorization: basic(bench.account) },
        body: new URLSearchParams(JUNK),
      })
      return [id, answer.status]
    }),
  )
  expect(answers).toEqual(targeted.map(({ id }) => [id, 404]))
})

it('a wrong form for a room that it would make is told what is wrong', async () => {
  await using t = await setUpApi()
  const { status, body } = await t.api('POST', '/Conferences/a%20room/Participants', {
    From: '+15551112222',
  })
  expect({ status, code: body['code'] }).toEqual({ status: 400, code: 21201 })
})

function pathOfNobody(path: string, account: Account): string {
  return path
    .replace('{AccountSid}', account.sid)
    .replace('Calls/{Sid}', `Calls/CA${'0'.repeat(32)}`)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `${PREFIXES[name] ?? 'CA'}${'0'.repeat(32)}`)
}

const PREFIXES: Readonly<Record<string, string>> = {
  ConferenceSid: 'CF',
  QueueSid: 'QU',
  DomainSid: 'SD',
  CredentialListSid: 'CL',
  IpAccessControlListSid: 'AL',
}

function basic({ sid, secret }: Account): string {
  return `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
}
