import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { LabCommand, LabReport } from '../../src/lab/lab-protocol.js'
import { connectMediaClient, LAB_PROCESS, openLab } from '../support/media/lab.js'
import { tempFolder } from '../support/process/temp-folder.js'

describe('the lab', () => {
  it('tells where its servers are, with secrets of its own', async () => {
    await using lab = await openLab()
    expect(lab.drachtioUrl).toMatch(/^tcp:\/\/:[\w-]{20,}@127\.0\.0\.1:\d+$/)
    expect(lab.freeswitchUrl).toMatch(/^tcp:\/\/:[\w-]{20,}@127\.0\.0\.1:\d+$/)
    expect(new URL(lab.drachtioUrl).password).not.toBe(new URL(lab.freeswitchUrl).password)
    expect(lab.phonesUri).toMatch(/^sip:127\.0\.0\.1:[1-9]\d*$/)
    expect(lab.sipContacts).toContain(`sip:127.0.0.1:${lab.sipPort};transport=udp`)
  })

  it('counts what lives in it, and nothing is left of a call', async () => {
    await using lab = await openLab()
    await using client = await connectMediaClient(lab)
    const { endpoint } = await client.endpoint()
    expect(await lab.stats()).toMatchObject({
      channels: 1,
      // The inbound one and the channel's own.
      eventSocketConnections: 2,
      media: { endpoints: 1 },
    })
    await endpoint.destroy()
    await expect
      .poll(async () => {
        const { channels, eventSocketConnections, media } = await lab.stats()
        return { channels, eventSocketConnections, endpoints: media.endpoints }
      })
      .toEqual({ channels: 0, eventSocketConnections: 1, endpoints: 0 })
  })

  it('starts again on the same ports when its process dies', async () => {
    await using lab = await openLab()
    const before = [lab.drachtioUrl, lab.freeswitchUrl, lab.phonesUri, lab.sipPort]
    const pid = lab.pid
    if (pid === undefined) throw new Error('the lab has no process')
    const died = new Promise((resolve) => lab.onExit(resolve))
    process.kill(pid, 'SIGKILL')
    expect(await died).toEqual({ code: null, signal: 'SIGKILL' })
    await expect.poll(() => lab.pid, { timeout: 20_000 }).toSatisfy(isOtherThan(pid))
    expect([lab.drachtioUrl, lab.freeswitchUrl, lab.phonesUri, lab.sipPort]).toEqual(before)
    await using client = await connectMediaClient(lab)
    const { endpoint } = await client.endpoint()
    await endpoint.destroy()
  })

  it('is gone when it is disposed of', async () => {
    const lab = await openLab()
    const { pid } = lab
    await lab[Symbol.asyncDispose]()
    expect(lab.pid).toBeUndefined()
    expect(() => process.kill(pid ?? 0, 0)).toThrow()
    await expect(lab.stats()).rejects.toThrow()
  })

  it('does not start on a port that is taken', async () => {
    await using lab = await openLab()
    await expect(openLab({ sipPort: lab.sipPort })).rejects.toThrow('did not start')
  })

  it('writes down every command', async () => {
    using folder = tempFolder()
    const commandLogFile = join(folder.path, 'commands.jsonl')
    {
      await using lab = await openLab({ commandLogFile })
      await using client = await connectMediaClient(lab)
      expect(await client.mediaServer.api('echo it is written')).toBe('it is written')
    }
    expect(readFileSync(commandLogFile, 'utf8')).toContain('"line":"api echo it is written"')
  })
})

describe("the lab's process", () => {
  it('ends in order when its parent goes away, and not by a signal that it gets too', async () => {
    const child = fork(fileURLToPath(LAB_PROCESS), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ready = await startIn(child)
    const socket = connect(ready.ports.eventSocket, '127.0.0.1')
    // Its greeting says that it has taken the connection: one that only waited would be reset.
    await once(socket, 'data')
    socket.resume()
    const closed = once(socket, 'close')
    const exited = once(child, 'exit')
    for (const signal of ['SIGINT', 'SIGTERM'] as const) child.kill(signal)
    child.disconnect()
    await closed
    expect(await exited).toEqual([0, null])
  })
})

async function startIn(child: ChildProcess): Promise<Extract<LabReport, { type: 'ready' }>> {
  const answer = once(child, 'message')
  const start: LabCommand = {
    type: 'start',
    options: {
      sipHost: '127.0.0.1',
      sipPort: 0,
      rtpPorts: { first: 0, last: 0 },
      sourceRate: 1_000,
      logLevel: 'silent',
    },
    ports: { sip: 0, sipTls: 0, drachtio: 0, eventSocket: 0, mediaSip: 0, phonesSip: 0 },
    secrets: { drachtio: 'a', eventSocket: 'b' },
  }
  child.send(start)
  const [report] = (await answer) as [LabReport] // what the lab's process sends
  if (report.type !== 'ready') throw new Error(JSON.stringify(report))
  return report
}

function isOtherThan(pid: number): (now: number | undefined) => boolean {
  return (now) => now !== undefined && now !== pid
}
