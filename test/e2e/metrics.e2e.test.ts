import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpSink } from '../support/http/http-sink.js'
import { metricValues } from '../support/process/metric-values.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const DASHBOARD = new URL('../../docker/monitoring/dashboard.json', import.meta.url)
/** Metrics that only a server with another database, or with a bucket, has. */
const ELSEWHERE = /^trunkline_(files|file|database_(retries|connections))_/

let trunkline: RunningTrunkline
let text: string

async function scrape(): Promise<string> {
  const answer = await fetch(`${trunkline.admin}/metrics`, {
    headers: { authorization: `Bearer ${trunkline.adminToken}` },
  })
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
  return await answer.text()
}

beforeAll(async () => {
  // Nobody listens on port 9: the bind of the short message centre stays away.
  trunkline = await startTrunkline({ SMPP_URLS: 'smpp://user:secret@127.0.0.1:9' })
  text = await scrape()
})
afterAll(() => trunkline[Symbol.asyncDispose]())

describe('the metrics', () => {
  it('have no fault that promtool finds', (t) => {
    // Its package starts a server on this machine, so that the tests do not install it.
    if (spawnSync('promtool', ['--version']).status !== 0) t.skip('promtool is not installed')
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text })
    expect([status, String(stderr)]).toEqual([0, ''])
  })

  it('each say what they mean', () => {
    const histograms = [...text.matchAll(/^# TYPE (\w+) histogram$/gm)].map(([, name]) => name)
    const named = [...text.matchAll(/^(trunkline_\w+)/gm)].map(([, name = '']) => {
      const whole = name.replace(/_(bucket|sum|count)$/, '')
      return histograms.includes(whole) ? whole : name
    })
    expect(named.length).toBeGreaterThan(30)
    for (const name of named) {
      // Base units: seconds and bytes.
      expect(name).not.toMatch(/_(ms|milliseconds|kb|mb)(_|$)/)
      expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z0-9].*\\.$`, 'm'))
      const type = name.endsWith('_total') ? 'counter' : '(gauge|histogram)'
      expect(text).toMatch(new RegExp(`^# TYPE ${name} ${type}$`, 'm'))
    }
  })

  it('show servers, queues and short message centres, and no secret', () => {
    const values = metricValues(text)
    expect(Object.entries(values).filter(([name]) => name.startsWith('server_up{'))).toHaveLength(2)
    expect(values).toMatchObject({
      calls_live: 0,
      'outbox_pending{channel="callback"}': 0,
      'outbox_oldest_seconds{channel="callback"}': 0,
      'smpp_bound{smsc="127.0.0.1:9",role="transceiver"}': 0,
      'smpp_requests_in_flight{smsc="127.0.0.1:9",role="transceiver"}': 0,
    })
    expect(text).not.toContain('secret')
    expect(text).not.toContain(trunkline.adminToken)
  })

  it('count a callback whose receiver is away, and its age', async () => {
    await trunkline.createCall({
      To: '+15005550002',
      From: '+15005550000',
      Markup: '<Response><Hangup/></Response>',
      StatusCallback: 'http://127.0.0.1:9/',
    })
    const callbacks = async () => metricValues(await scrape())['outbox_pending{channel="callback"}']
    await expect.poll(callbacks, { timeout: 20_000, interval: 50 }).toBe(1)
    const age = metricValues(await scrape())['outbox_oldest_seconds{channel="callback"}']
    expect(age).toBeGreaterThan(0)
  })

  it('count what an answered call was, by its size', async () => {
    await using web = await HttpSink.start()
    web.script(() => ({
      headers: { 'content-type': 'text/xml' },
      body: '<Response><Pause length="1"/></Response>',
    }))
    await trunkline.createCall({ To: '+15005550001', From: '+15005550000', Url: web.url })
    const figures = async () => metricValues(await scrape())
    const notCounted = async () => {
      const values = await figures()
      return [
        'webhook_duration_seconds_count{kind="webhook",result="2xx"}',
        'call_setup_seconds_count{direction="outbound"}',
        'call_duration_seconds_count{direction="outbound"}',
        'leg_loss_ratio_count',
        'leg_jitter_seconds_count',
        'leg_mos_count',
      ].filter((name) => (values[name] ?? 0) === 0)
    }
    await expect.poll(notCounted, { timeout: 30_000, interval: 100 }).toEqual([])
    // The pause of one second is the whole call.
    const talked = async () => (await figures())['call_duration_seconds_sum{direction="outbound"}']
    await expect.poll(talked, { timeout: 30_000, interval: 100 }).toBeGreaterThanOrEqual(1)
    const values = await figures()
    // Nothing is lost on loopback.
    expect(values['leg_loss_ratio_bucket{le="0"}']).toBe(values['leg_loss_ratio_count'])
    expect(values['leg_mos_bucket{le="3.6"}']).toBe(0)
  })

  it('have every name of the dashboard', () => {
    const names = new Set(readFileSync(DASHBOARD, 'utf8').match(/trunkline_\w+/g))
    expect(names.size).toBeGreaterThan(15)
    const known = [...names].filter((name) => !ELSEWHERE.test(name))
    for (const name of known)
      expect(text).toContain(`# TYPE ${name.replace(/_(bucket|sum|count)$/, '')} `)
  })
})
