import { expect, it } from 'vitest'
import { seeded } from '../support/media/seeded.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { compareTimes } from '../support/time/slower-share.js'

/** The requests of each kind: with so many, a difference of a fifth of the spread is seen. */
const SAMPLES = 400
const HASHED_SAMPLES = 150
/** Beyond so many standard errors by chance: once in a hundred thousand runs. */
const MAX_ERRORS = 4.5
const KNOWN = 140
/** An account gets three links in an hour: only so many requests have something to send. */
const LINKS = 3
const PASSWORD = 'abcdef1234'

interface Kind {
  readonly known: (index: number) => object
  readonly unknown: (index: number) => object
}

/** Accounts of which the first has a password. */
async function makeAccounts(t: RunningTrunkline): Promise<string> {
  let first = ''
  for (let index = 0; index < KNOWN; index += 1) {
    const email = `known${index}@acme.example`
    const made = await t.adminApi('POST', '/accounts', { friendlyName: `known ${index}`, email })
    expect(made.status).toBe(201)
    if (index > 0) continue
    first = String(made.body['username'])
    const path = `/accounts/${String(made.body['accountSid'])}/password`
    expect((await t.adminApi('POST', path, { password: PASSWORD })).status).toBe(200)
  }
  return first
}

/** The times of both kinds, one request after the other, in an order that nothing else follows. */
async function timesOf(t: RunningTrunkline, path: string, samples: number, kind: Kind) {
  const random = seeded(samples)
  const times = { known: [] as number[], unknown: [] as number[] }
  const answers = new Set<string>()
  while (times.known.length < samples || times.unknown.length < samples) {
    const drawn = random() < 0.5 ? 'known' : 'unknown'
    const other = drawn === 'known' ? 'unknown' : 'known'
    const which = times[drawn].length < samples ? drawn : other
    const body = JSON.stringify(kind[which](times[which].length))
    const startedAt = performance.now()
    const answer = await fetch(t.http + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await answer.text()
    times[which].push(performance.now() - startedAt)
    answers.add(
      `${answer.status} ${text.replaceAll(/"(username|password|email)":"[^"]*"/g, '"$1"')}`,
    )
  }
  expect([...answers]).toHaveLength(1)
  const { share, error } = compareTimes(times.known, times.unknown)
  return { share, errors: Math.abs(share - 0.5) / error }
}

it('[B18] neither the time nor the answer of a recovery, a sign-up or a key tells whether an account exists', async ({
  task,
}) => {
  await using t = await startTrunkline({ ACCOUNT_REQUESTS_PER_HOUR: '0', LOG_LEVEL: 'error' })
  const username = await makeAccounts(t)
  const nobody = (index: number) => ({ name: 'Jane', email: `nobody${index}@acme.example` })
  const somebody = (index: number) => ({
    name: 'Jane',
    email: `known${Math.floor(index / LINKS) % KNOWN}@acme.example`,
  })
  const addresses = { known: somebody, unknown: nobody }
  const keys: Kind = {
    known: () => ({ username, password: 'wrong12345' }),
    unknown: () => ({ username: '1999999999', password: 'wrong12345' }),
  }
  const compared = {
    recovery: await timesOf(t, '/v2.2/account/recovery', SAMPLES, addresses),
    'sign-up': await timesOf(t, '/v2.2/accounts', HASHED_SAMPLES, addresses),
    key: await timesOf(t, '/v2.2/account/api-key', HASHED_SAMPLES, keys),
  }
  for (const [name, { share }] of Object.entries(compared))
    reportRow(task, 'B18', { [`known slower, ${name}, share`]: share.toFixed(3) })
  for (const [name, { errors }] of Object.entries(compared))
    expect(errors, name).toBeLessThan(MAX_ERRORS)
}, 600_000)
