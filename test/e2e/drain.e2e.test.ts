import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { npmStart } from '../support/process/npm-start.js'
import { errorsIn, processesOf } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { sipp } from '../support/sip/sipp.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const POLL = { timeout: 20_000, interval: 20 }

/** A call that would talk for a minute, in progress. */
async function longCall(trunkline: RunningTrunkline, app: VoiceApp): Promise<string> {
  const { sid } = await trunkline.createCall({
    To: '+15005550002',
    From: '+15005550000',
    Markup: '<Response><Pause length="60"/></Response>',
    StatusCallback: `${app.url}/status`,
  })
  await expect.poll(async () => (await trunkline.fetchCall(sid)).status, POLL).toBe('in-progress')
  return sid
}

/** Sends SIGTERM and resolves once the server says that it drains; `exit` is how it ends. */
async function drain(trunkline: RunningTrunkline): Promise<{ exit: Promise<unknown[]> }> {
  const exit = once(trunkline.server.process, 'exit')
  trunkline.server.process.kill('SIGTERM')
  const ready = async () => (await fetch(`${trunkline.http}/readyz`)).status
  await expect.poll(ready, POLL).toBe(503)
  return { exit }
}

describe('[F50] a server that is told to end', () => {
  it('refuses new calls, lets the live one finish, and leaves a whole database', async () => {
    await using trunkline = await startTrunkline({ DRAIN_SECONDS: '50' })
    await using app = await startVoiceApp()
    await trunkline.assignNumber('+15551230150', { voiceUrl: `${app.url}/voice` })
    const sid = await longCall(trunkline, app)
    const { exit } = await drain(trunkline)
    const refused = await trunkline.api('POST', '/Calls.json', {
      To: '+15005550002',
      From: '+15005550000',
      Markup: '<Response/>',
    })
    expect(refused).toMatchObject({ status: 503, body: { code: 20503, status: 503 } })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    await sipp({
      scenario: 'uac-wants-503',
      target: `127.0.0.1:${trunkline.sipPort}`,
      service: '+15551230150',
    })
    expect(await trunkline.fetchCall(sid)).toMatchObject({ status: 'in-progress' })
    expect((await trunkline.api('POST', `/Calls/${sid}`, { Status: 'completed' })).status).toBe(200)
    expect(await exit).toEqual([0, null])
    expect(app.callbacks(sid).map((params) => params['CallStatus'])).toEqual(['completed'])
    const wal = join(trunkline.folder, 'data', 'trunkline.db-wal')
    expect(existsSync(wal) ? statSync(wal).size : 0).toBe(0)
  })

  it('lets the live call finish when every process gets the signal, as systemd sends it', async () => {
    await using trunkline = await startTrunkline({ DRAIN_SECONDS: '50' })
    await using app = await startVoiceApp()
    const sid = await longCall(trunkline, app)
    // A busy machine may need a second login to the lab at start.
    const errors = errorsIn(trunkline).length
    const [, ...children] = processesOf(trunkline)
    for (const pid of children) process.kill(pid, 'SIGTERM')
    const { exit } = await drain(trunkline)
    // The answer comes from the media server: the lab still runs.
    const changed = await trunkline.api('POST', `/Calls/${sid}`, {
      Markup: '<Response><Say>Goodbye.</Say></Response>',
    })
    expect(changed).toMatchObject({ status: 200, body: { status: 'in-progress' } })
    expect(await exit).toEqual([0, null])
    expect(errorsIn(trunkline).slice(errors)).toEqual([])
    expect(app.callbacks(sid).map((params) => params['CallStatus'])).toEqual(['completed'])
  })

  it.each([
    ['npm alone', (pid: number) => pid],
    ['every process', (pid: number) => -pid],
  ])('lets the live call finish when `npm start` runs it and %s gets the signal', async (_who, target) => {
    await using trunkline = await startTrunkline({ DRAIN_SECONDS: '50' }, undefined, npmStart)
    await using app = await startVoiceApp()
    app.page('/after', '<Say>Goodbye.</Say>')
    const sid = await longCall(trunkline, app)
    const errors = errorsIn(trunkline).length
    const exit = once(trunkline.server.process, 'exit')
    process.kill(target(trunkline.server.process.pid ?? Number.NaN), 'SIGTERM')
    const ready = async () => (await fetch(`${trunkline.http}/readyz`)).status
    await expect.poll(ready, POLL).toBe(503)
    // A call that is hung up would ask for nothing after the sentence.
    const Markup = `<Response><Say>One moment.</Say><Redirect>${app.url}/after</Redirect></Response>`
    expect((await trunkline.api('POST', `/Calls/${sid}`, { Markup })).status).toBe(200)
    expect((await app.asked('/after', sid))['CallStatus']).toBe('in-progress')
    expect(await exit).toEqual([0, null])
    expect(errorsIn(trunkline).slice(errors)).toEqual([])
  })

  it('ends at once when `npm start` runs it and npm alone is interrupted', async () => {
    await using trunkline = await startTrunkline({ DRAIN_SECONDS: '600' }, undefined, npmStart)
    await using app = await startVoiceApp()
    const sid = await longCall(trunkline, app)
    const exit = once(trunkline.server.process, 'exit')
    trunkline.server.process.kill('SIGINT')
    expect(await exit).toEqual([0, null])
    expect(app.callbacks(sid).map((params) => params['CallStatus'])).toEqual(['completed'])
  })

  it('hangs up what outlives the limit, and says so to its customer before it goes', async () => {
    await using trunkline = await startTrunkline({ DRAIN_SECONDS: '1' })
    await using app = await startVoiceApp()
    const sid = await longCall(trunkline, app)
    // Nobody asks it meanwhile: a second is soon over.
    const exit = once(trunkline.server.process, 'exit')
    trunkline.server.process.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
    expect(app.callbacks(sid).map((params) => params['CallStatus'])).toEqual(['completed'])
  })

  it('ends at once when told twice', async () => {
    await using trunkline = await startTrunkline({ DRAIN_SECONDS: '600' })
    await using app = await startVoiceApp()
    const sid = await longCall(trunkline, app)
    const { exit } = await drain(trunkline)
    // A copy of the first signal that comes at once is none; npm sends such.
    const isTaken = () => {
      trunkline.server.process.kill('SIGTERM')
      return trunkline.server.log()
    }
    await expect.poll(isTaken, { ...POLL, interval: 100 }).toContain('"drained"')
    expect(await exit).toEqual([0, null])
    expect(app.callbacks(sid).at(-1)).toMatchObject({ CallStatus: 'completed' })
  })
})
