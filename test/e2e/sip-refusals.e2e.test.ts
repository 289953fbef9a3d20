/** What a softphone hears that is set up wrongly, or comes too late. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { callRest } from '../support/account/rest-client.js'
import { openLab } from '../support/media/lab.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import {
  challengeFor,
  type RegisterAnswer,
  RegisterClient,
  type RegisterOptions,
} from '../support/sip/register-client.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { createSoftphoneDomain, type SoftphoneDomain } from '../support/sip/softphone-domain.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const PRELOAD = new URL('../support/time/set-clock.mjs', import.meta.url).href
const LIMIT_MS = 20_000
const CARRIER = '127.0.6.2'
const NUMBER = '+12125550143'
const ALICE = { domain: 'acme.example', user: 'alice' }
const UNKNOWN = { domain: 'nowhere.example', user: 'alice' }

const folder = tempFolder()
const clockFile = join(folder.path, 'hours')
let lab: Lab | undefined
let trunkline: RunningTrunkline
let app: VoiceApp
let acme: SoftphoneDomain
let sipPort: number

beforeAll(async () => {
  // Servers that are not the product's own, so that this machine is no carrier.
  lab = IS_LAB ? await openLab() : undefined
  trunkline = await startTrunkline({
    NODE_OPTIONS: `--import ${PRELOAD}`,
    CLOCK_FILE: clockFile,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    ...(lab && { DRACHTIO_URL: lab.drachtioUrl, FREESWITCH_URL: lab.freeswitchUrl }),
  })
  sipPort = lab?.sipPort ?? trunkline.sipPort
  await trunkline.adminApi('DELETE', '/carriers/lab')
  const carrier = { host: CARRIER, port: 5060, prefixes: ['+44'], addresses: [`${CARRIER}/32`] }
  expect((await trunkline.adminApi('PUT', '/carriers/acme', carrier)).status).toBe(200)
  app = await startVoiceApp()
  app.page('/voice', '<Reject reason="busy"/>')
  acme = await createSoftphoneDomain(trunkline, ['alice'], {
    DomainName: ALICE.domain,
    VoiceUrl: `${app.url}/voice`,
  })
  const ready = async () => (await fetch(`${trunkline.http}/readyz`)).status === 200
  await waitUntil('both servers are up', ready, LIMIT_MS)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  await lab?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** A softphone on an address of its own, so that the mistakes of one test do not slow another. */
let nextHost = 1
const phone = () => RegisterClient.open(sipPort, `127.0.7.${nextHost++}`)

const warningOf = (answer: RegisterAnswer) => [
  answer.status,
  /"(\d+)/.exec(answer.headers('Warning')[0] ?? '')?.[1],
]

/** The statuses of requests that answer one challenge, each with the next of these counts. */
async function answered(options: RegisterOptions, counts: readonly number[]): Promise<number[]> {
  await using client = await phone()
  const challenge = challengeFor(await client.send(options), 'SHA-256')
  const statuses: number[] = []
  for (const count of counts) {
    const answer = await client.register({ ...options, reuse: { challenge, count } })
    expect(answer.headers('WWW-Authenticate').join()).not.toContain('stale')
    statuses.push(answer.status)
  }
  return statuses
}

let hours = 0
/** Sets the server's clock an hour ahead. */
async function passHour(): Promise<void> {
  const told = trunkline.server.log().length
  writeFileSync(clockFile, String(++hours))
  trunkline.server.process.kill('SIGUSR2')
  const isSet = () => trunkline.server.log().slice(told).includes('the clock was set')
  await waitUntil('the clock is set', isSet, LIMIT_MS)
}

describe('a softphone', () => {
  it.each([
    ['REGISTER', UNKNOWN],
    ['INVITE', { ...UNKNOWN, calls: '15551234567' }],
  ])('that sends %s to a domain that does not exist hears 404', async (_method, options) => {
    await using client = await phone()
    expect(warningOf(await client.register(options))).toEqual([404, '32002'])
  })

  it.each([
    ['REGISTER', { ...ALICE, expires: 0 }, 200],
    ['INVITE', { ...ALICE, calls: '15551234567' }, 486],
  ])('that sends the credentials of its %s again is challenged anew', async (_method, options, status) => {
    expect(await answered(options, [1, 1, 2])).toEqual([status, 401, status])
    await expectNothingLeft(trunkline)
  })

  it.each([
    ['REGISTER', { ...ALICE, expires: 0 }, 200],
    ['INVITE', { ...ALICE, calls: '15551234567' }, 486],
  ])('whose %s has a nonce of an hour ago is told that it is stale', async (_method, options, status) => {
    await using client = await phone()
    const old = challengeFor(await client.send(options), 'SHA-256')
    await passHour()
    const stale = await client.register({ ...options, reuse: { challenge: old, count: 1 } })
    const challenges = stale.headers('WWW-Authenticate')
    expect([stale.status, ...challenges]).toEqual([
      401,
      expect.stringContaining('stale=true'),
      expect.stringContaining('stale=true'),
    ])
    const challenge = challengeFor(stale, 'SHA-256')
    const fresh = await client.register({ ...options, reuse: { challenge, count: 1 } })
    expect(fresh.status).toBe(status)
    await expectNothingLeft(trunkline)
  })
})

it('a registration that has expired is called no more: the caller of its number hears 480', async () => {
  await trunkline.assignNumber(NUMBER, {})
  const number = `/numbers/${encodeURIComponent(NUMBER)}`
  await callRest(trunkline, 'PUT', `${number}/route`, { route: 1, user: 'alice' })
  using caller = await SipPeer.open(CARRIER, '127.0.0.1')
  await using client = await phone()
  expect((await client.register({ ...ALICE, expires: 60 })).status).toBe(200)
  expect(await acme.registrations()).toHaveLength(1)
  await passHour()

  expect(await acme.registrations()).toEqual([])
  const call = caller.call(sipPort, {
    user: NUMBER,
    from: `<sip:+15553334444@${CARRIER}>;tag=caller`,
  })
  await call.response(480)
  await expectNothingLeft(trunkline)
})
