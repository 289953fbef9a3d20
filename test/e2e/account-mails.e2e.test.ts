import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linkIn, startSmtpSink, textOf } from '../support/mail/smtp-sink.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

/** The answer of a mail server that is to be asked again later (RFC 5321 §4.2.3). */
const NOT_NOW = 451
const WANTED = { name: 'Jane', email: 'jane@reader.example' }

interface Told {
  readonly status: number
  readonly data: Readonly<Record<string, string>>
}

async function post(t: RunningTrunkline, path: string, body: object): Promise<Told> {
  const answer = await fetch(`${t.http}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { data = {} } = (await answer.json()) as { data?: Told['data'] }
  return { status: answer.status, data }
}

const submit = async (t: RunningTrunkline, path: string, form: Record<string, string> = {}) =>
  (await fetch(`${t.http}${path}`, { method: 'POST', body: new URLSearchParams(form) })).status

const details = async (t: RunningTrunkline, key: string) =>
  (await fetch(`${t.http}/v2.2/account`, { headers: { authorization: `Bearer ${key}` } })).status

/** Signs up, confirms, recovers: the whole way of a customer, by the mails that `read` finds. */
async function walk(t: RunningTrunkline, read: () => readonly string[]): Promise<void> {
  const mailed = async (count: number) => {
    await expect.poll(() => read().length).toBe(count)
    return read()[count - 1] ?? ''
  }
  const made = await post(t, '/v2.2/accounts', WANTED)
  expect(made.status).toBe(201)
  const { username = '', password = '' } = made.data
  expect((await post(t, '/v2.2/account/api-key', { username, password })).status).toBe(403)
  const confirm = linkIn(await mailed(1))
  expect((await fetch(`${t.http}${confirm}`)).status).toBe(200)
  expect(await submit(t, confirm)).toBe(200)
  expect(await submit(t, confirm)).toBe(404)
  const first = await post(t, '/v2.2/account/api-key', { username, password })
  expect(first.status).toBe(200)
  const { apikey = '' } = first.data
  expect(await details(t, apikey)).toBe(200)

  const unknown = await post(t, '/v2.2/account/recovery', { email: 'nobody@reader.example' })
  const known = await post(t, '/v2.2/account/recovery', { email: WANTED.email })
  expect(known).toEqual(unknown)
  const recover = linkIn(await mailed(2))
  expect(await submit(t, recover, { password: 'a new password' })).toBe(200)
  expect(await submit(t, recover, { password: 'another one' })).toBe(404)
  expect(await mailed(3)).toContain('was changed')
  expect((await post(t, '/v2.2/account/api-key', { username, password })).status).toBe(401)
  expect(await details(t, apikey)).toBe(401)
  const again = { username, password: 'a new password' }
  const second = await post(t, '/v2.2/account/api-key', again)
  expect(await details(t, second.data['apikey'] ?? '')).toBe(200)
  expect(read()).toHaveLength(3)
}

describe('sign-up, confirmation, recovery and a new password', () => {
  it('by the mails in the folder', async () => {
    await using t = await startTrunkline({ ACCOUNT_REQUESTS_PER_HOUR: '0' })
    const folder = join(t.folder, 'data', 'mail')
    const read = () => {
      try {
        const names = readdirSync(folder).filter((name) => name.endsWith('.eml'))
        return names.sort().map((name) => textOf(readFileSync(join(folder, name), 'utf8')))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // no mail yet
        throw error
      }
    }
    await walk(t, read)
  })

  it('by the mails that a mail server got', async () => {
    await using sink = await startSmtpSink()
    await using t = await startTrunkline({
      ACCOUNT_REQUESTS_PER_HOUR: '0',
      SMTP_URL: sink.url,
      MAIL_FROM: 'Acme <mail@acme.example>',
    })
    await walk(t, () => sink.mails.map(({ raw }) => textOf(raw)))
    expect(new Set(sink.mails.map(({ from }) => from))).toEqual(new Set(['mail@acme.example']))
  })
})

it('a mail that a killed process had not sent is sent by the next one, once', async () => {
  await using sink = await startSmtpSink()
  const settings = { ACCOUNT_REQUESTS_PER_HOUR: '0', SMTP_URL: sink.url }
  sink.answer = NOT_NOW
  await using first = await startTrunkline(settings)
  expect((await post(first, '/v2.2/accounts', WANTED)).status).toBe(201)
  const ended = once(first.server.process, 'exit')
  first.server.process.kill('SIGKILL')
  await ended
  expect(sink.mails).toEqual([])
  sink.answer = undefined
  await using second = await startTrunkline({ ...settings, DATA_DIR: join(first.folder, 'data') })
  await expect.poll(() => sink.mails.length).toBe(1)
  const path = linkIn(textOf(sink.mails[0]?.raw ?? ''))
  expect(await submit(second, path)).toBe(200)
  expect(sink.mails).toHaveLength(1)
})
