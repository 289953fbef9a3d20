import { afterAll, beforeAll, expect, it } from 'vitest'
import { callRest } from '../support/account/rest-client.js'
import { runCommand } from '../support/process/command-line.js'
import { freePort } from '../support/process/free-port.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { CarrierPeer, type CarrierScript, hasDigest } from '../support/sip/carrier-peer.js'

const LIMIT_MS = 60_000
const USER = { username: 'acme-user', password: 'acme secret', realm: 'acme.test' }
const CHALLENGE = [['WWW-Authenticate', 'Digest realm="acme.test",nonce="n1",qop="auth"']] as const
const asksForCredentials: CarrierScript = (request) =>
  hasDigest(request, USER) ? { status: 200 } : { status: 401, headers: CHALLENGE }

let trunkline: RunningTrunkline
beforeAll(async () => {
  trunkline = await startTrunkline({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' })
})
afterAll(async () => {
  await trunkline[Symbol.asyncDispose]()
})

interface Line {
  readonly level: string
  readonly subject: string
  readonly text: string
  readonly advice?: string
}

/** Runs the doctor against the server; resolves with its exit code, its lines, and all that it wrote. */
async function examine(env: Readonly<Record<string, string>> = {}) {
  const { code, err, out } = await runCommand(['doctor', '--json'], {
    HTTP_PORT: new URL(trunkline.http).port,
    ADMIN_PORT: new URL(trunkline.admin).port,
    ADMIN_TOKEN: trunkline.adminToken,
    DATA_DIR: `${trunkline.folder}/data`,
    FIRST_ACCOUNT_SID: trunkline.account.sid,
    FIRST_ACCOUNT_TOKEN: trunkline.account.secret,
    ...env,
  })
  const lines = out.split('\n').filter((line) => line !== '')
  return { code, out: `${out}${err}`, lines: lines.map((line) => JSON.parse(line) as Line) }
}

async function examined(name: string, carrier: object) {
  const { body, status } = await trunkline.adminApi('PUT', `/carriers/${name}`, carrier)
  expect(status, JSON.stringify(body)).toBe(200)
  try {
    const report = await examine()
    const of = (subject: string) => report.lines.find((line) => line.subject === subject)
    return { ...report, line: of(`carrier ${name}`), contact: of('Contact') }
  } finally {
    await trunkline.adminApi('DELETE', `/carriers/${name}`)
  }
}

const at = ({ port }: { readonly port: number }) => ({ host: '127.0.0.1', port })

it('a carrier that answers is fine, with its Contact', { timeout: LIMIT_MS }, async () => {
  using peer = await CarrierPeer.open(() => ({ status: 200 }))
  const { code, line, out } = await examined('acme', at(peer))
  expect(line).toMatchObject({ level: 'ok' })
  expect(line?.text).toMatch(
    /^udp:127\.0\.0\.1:\d+ answered OPTIONS with 200 in \d+ ms, Contact 127\.0\.0\.1$/,
  )
  expect(code, out).toBe(0)
})

it.each<[string, object, RegExp, RegExp]>([
  [
    'a name without an address',
    { host: 'sip.nowhere.invalid' },
    /^no address is known for sip\.nowhere\.invalid/,
    /carriers put acme --host HOST/,
  ],
  [
    'an address on the Internet, beside a listener on loopback',
    { host: 'sip:198.51.100.7' },
    /^udp:198\.51\.100\.7:5060 is on the Internet and gets the Contact 127\.0\.0\.1/,
    /set SIP_HOST.*--external-ip/,
  ],
])('%s fails', { timeout: LIMIT_MS }, async (_title, carrier, text, advice) => {
  const { code, line } = await examined('acme', carrier)
  expect({ code, level: line?.level }).toEqual({ code: 1, level: 'fail' })
  expect(line?.text).toMatch(text)
  expect(line?.advice).toMatch(advice)
})

it.skipIf(!IS_LAB)('the Contact of the lab fails then too', { timeout: LIMIT_MS }, async () => {
  const { contact } = await examined('acme', { host: '198.51.100.7' })
  expect(contact).toMatchObject({ level: 'fail' })
  expect(contact?.text).toContain('carrier acme is on the Internet')
  expect(contact?.advice).toContain('SIP_HOST')
})

it('a carrier at whose port nothing listens fails', { timeout: LIMIT_MS }, async () => {
  const { code, line } = await examined('acme', { host: '127.0.0.1', port: await freePort() })
  expect({ code, level: line?.level }).toEqual({ code: 1, level: 'fail' })
  expect(line?.text).toMatch(/^no answer to OPTIONS from udp:127\.0\.0\.1:\d+$/)
  expect(line?.advice).toContain('host, port and transport')
})

it('a carrier that asks for credentials needs right ones', { timeout: LIMIT_MS }, async () => {
  using peer = await CarrierPeer.open(asksForCredentials)
  const bare = await examined('acme', at(peer))
  expect(bare.line).toMatchObject({ level: 'fail' })
  expect(bare.line?.text).toMatch(/asks for credentials \(401 to OPTIONS\), and none are set here$/)
  expect(bare.line?.advice).toContain('--username USER --password-stdin')

  const wrong = await examined('acme', { ...at(peer), auth: { ...USER, password: 'not it' } })
  expect(wrong.line?.text).toMatch(/refuses the credentials: 401$/)
  expect(wrong.out).not.toContain('not it')

  const right = await examined('acme', { ...at(peer), auth: USER })
  expect(right.line, right.out).toMatchObject({ level: 'ok' })
  expect(right.out).not.toContain(USER.password)
})

it('the last INVITE that a carrier refused is told', { timeout: LIMIT_MS }, async () => {
  using peer = await CarrierPeer.open(({ method }) => ({ status: method === 'INVITE' ? 403 : 200 }))
  const carrier = { ...at(peer), prefixes: ['+1555777'] }
  await trunkline.adminApi('PUT', '/carriers/acme', carrier)
  const form = { To: '+15557770001', From: '+15551110000', Markup: '<Response/>' }
  const { sid } = await trunkline.createCall(form)
  const status = async () => (await trunkline.fetchCall(sid)).status
  await expect.poll(status, { timeout: 20_000 }).toBe('failed')
  const { line } = await examined('acme', carrier)
  expect(line).toMatchObject({ level: 'warn' })
  expect(line?.text).toMatch(/refused the last INVITE with 403/)
})

it('a gateway has a line too, and warns', { timeout: LIMIT_MS }, async () => {
  using peer = await CarrierPeer.open(() => ({ status: 200 }))
  const gateway = `127.0.0.1:${String(peer.port)}`
  const { id } = await callRest(trunkline, 'POST', '/gateways', { gateway })
  const lineOf = async () =>
    (await examine()).lines.find(({ subject }) => subject === `gateway ${String(id)}`)
  expect(await lineOf()).toMatchObject({ level: 'ok' })
  peer.script = () => ({ status: 407 })
  const asked = await lineOf()
  expect(asked).toMatchObject({ level: 'warn' })
  expect(asked?.text).toContain('(407 to OPTIONS), and a gateway has no credentials')
  await callRest(trunkline, 'DELETE', `/gateways/${String(id)}`)
})

it('readiness counts carriers and stays ready', { timeout: LIMIT_MS }, async () => {
  await trunkline.adminApi('PUT', '/carriers/acme', {
    ...{ host: '127.0.0.1', port: await freePort() },
    probeSeconds: 1,
  })
  const readiness = async () => {
    const answer = await fetch(`${trunkline.http}/readyz`)
    return `${String(answer.status)} ${JSON.stringify(await answer.json())}`
  }
  await expect.poll(readiness, { timeout: 20_000 }).toMatch(/^200 .*"carriers":"1 down, 1 not/)
  await trunkline.adminApi('DELETE', '/carriers/acme')
})

it('carriers are not asked while no server runs', { timeout: LIMIT_MS }, async () => {
  const closed = { HTTP_PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) }
  const { lines } = await examine(closed)
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      subject: 'carriers',
      text: 'not asked: only a running server can ask them',
    }),
  )
})
