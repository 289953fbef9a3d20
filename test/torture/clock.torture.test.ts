import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { startTrunkline } from '../support/process/trunkline.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const PRELOAD = new URL('../support/time/set-clock.mjs', import.meta.url).href
const POLL = { timeout: 20_000, interval: 50 }

it.each([
  1, -1,
])('[F51] nothing times out when the clock is set by %i hour: calls last as long, callbacks still come', async (hours) => {
  using folder = tempFolder()
  const file = join(folder.path, 'hours')
  await using app = await startVoiceApp()
  await using trunkline = await startTrunkline({
    NODE_OPTIONS: `--import ${PRELOAD}`,
    CLOCK_FILE: file,
  })
  // Its first callback is refused until the clock was set: a retry waits through the jump.
  let isRefusing = true
  const script = app.sink.script.bind(app.sink)
  script(({ target }) =>
    target.startsWith('/status') && isRefusing
      ? { status: 503 }
      : { headers: { 'content-type': 'text/xml' }, body: '<Response/>' },
  )
  const call = () =>
    trunkline.createCall({
      To: '+15005550002',
      From: '+15005550000',
      Markup: '<Response><Gather timeout="3"/></Response>',
      StatusCallback: `${app.url}/status`,
      StatusCallbackEvent: 'initiated ringing answered completed',
    })
  const { sid } = await call()
  const status = async () => (await trunkline.fetchCall(sid)).status
  await expect.poll(status, POLL).toBe('in-progress')
  await expect.poll(() => app.callbacks(sid).length, POLL).toBeGreaterThan(0)
  writeFileSync(file, String(hours))
  trunkline.server.process.kill('SIGUSR2')
  await expect.poll(() => trunkline.server.log().includes('the clock was set'), POLL).toBe(true)
  isRefusing = false
  const callbacks = await app.completed(sid)
  const sequence = callbacks.map((params) => Number(params['SequenceNumber']))
  expect(sequence).toEqual(sequence.toSorted((a, b) => a - b))
  expect([...new Set(sequence)]).toEqual([0, 1, 2, 3])
  const duration = Number((await trunkline.fetchCall(sid))['duration'])
  expect(duration).toBeGreaterThanOrEqual(2)
  expect(duration).toBeLessThan(60)
  await app.completed((await call()).sid)
  await expectNothingLeft(trunkline)
})
