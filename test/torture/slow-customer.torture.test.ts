import { expect, it } from 'vitest'
import { HttpSink } from '../support/http/http-sink.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn } from '../support/process/process-memory.js'
import { startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { goodCalls, p95 } from '../support/sip/good-calls.js'
import { startSipp } from '../support/sip/sipp.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const PER_SECOND = 20
/** Just within what a web server may take. */
const ANSWER_MS = 14_000
const WAITING = (PER_SECOND * ANSWER_MS) / 1_000
const SLOW_SERVICE = '15551112222'
const QUICK_SERVICE = '15553334444'
/** Waits as long, of its own accord: a first Pause leaves the call ringing. */
const LATER = `<Response><Pause length="${ANSWER_MS / 1_000}"/><Reject reason="busy"/></Response>`
const PACE = { everyMs: 100, forMs: 15_000 }

it('an application that takes 14 s to answer, 20 calls a second: another customer is served as before [D33]', async ({
  task,
}) => {
  await using slow = await HttpSink.start()
  const answerTime = () => new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
  const reject = {
    headers: { 'content-type': 'text/xml' },
    body: '<Response><Reject reason="busy"/></Response>',
  }
  await using app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="10"/>')
  await using trunkline = await startTrunkline({ LOG_LEVEL: 'warn' })
  await trunkline.assignNumber(`+${SLOW_SERVICE}`, { voiceUrl: slow.url })
  const quick = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'quick' })
  const number = `/numbers/${encodeURIComponent(`+${QUICK_SERVICE}`)}`
  const assigned = await trunkline.adminApi('PUT', number, {
    accountSid: quick.body['accountSid'],
    voiceUrl: `${app.url}/voice`,
  })
  expect(assigned.status).toBe(200)
  const served = () => goodCalls(trunkline, QUICK_SERVICE, PACE)

  await served()
  const before = await served()
  const callers = (calls: number) =>
    startSipp({
      scenario: 'uac-wants-486',
      target: `127.0.0.1:${trunkline.sipPort}`,
      service: SLOW_SERVICE,
      calls,
      rate: PER_SECOND,
      extra: ['-timeout', '180'],
    })
  const calls = WAITING + ((PACE.forMs + 5_000) / 1_000) * PER_SECOND
  const servedBeside = async () => {
    const asked = slow.requests.length
    const running = await callers(calls)
    await waitUntil(
      'as many wait as there will be',
      () => slow.requests.length - asked >= WAITING,
      60_000,
    )
    return { running, served: await served() }
  }
  // What as many waiting calls cost by themselves, when their application answers at once.
  slow.script(() => ({ ...reject, body: LATER }))
  const quickly = await servedBeside()
  await quickly.running.done
  await quickly.running[Symbol.asyncDispose]()
  slow.script(() => ({ ...reject, after: answerTime() }))
  const asked = slow.requests.length
  const slowly = await servedBeside()
  const [besideQuick, beside] = [quickly.served, slowly.served]
  const { outbound_connections: connections = 0 } = await trunkline.metrics()
  await slowly.running.done
  await slowly.running[Symbol.asyncDispose]()
  await expectNothingLeft(trunkline)
  const after = await served()

  // Other work of the machine comes and goes: without slow answers is measured on both sides.
  const without = Math.max(...[before, besideQuick, after].map(({ answeredMs }) => p95(answeredMs)))
  reportRow(task, 'D33', {
    'calls of the slow customer': calls,
    'its application was asked': slow.requests.length - asked,
    'connections meanwhile': connections,
    "another's calls": `${String(beside.answeredMs.length)} of ${String(beside.placed)}`,
    'p95 ms alone, beside as many calls that wait for 14 s, beside as many whose application does, alone':
      [before, besideQuick, beside, after].map(({ answeredMs }) => p95(answeredMs)).join(', '),
  })
  expect([before, besideQuick, beside, after].flatMap(({ failures }) => failures)).toEqual([])
  expect(slow.requests).toHaveLength(asked + calls)
  expect(connections).toBeLessThan(WAITING + 2 * 64)
  expect(errorsIn(trunkline)).toEqual([])
  expect(p95(beside.answeredMs)).toBeLessThan(1.5 * without)
})
