import { describe, expect, it } from 'vitest'
import { AdapterError } from '../../../../src/platform/errors.js'
import { UnreadableAudioError } from '../../../../src/voice/audio/audio-block.js'
import { AudioWorkers } from '../../../../src/voice/audio/audio-workers.js'
import type { AudioTask } from '../../../../src/voice/audio/worker/protocol.js'

/** A thread that does what the text says, and answers with its own number and the text's length. */
const THREAD = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', ({ id, task: { text } }) => {
      if (text === 'die') process.exit(3)
      if (text === 'throw') throw new Error('thrown')
      if (text === 'hang') for (;;);
      if (text === 'unreadable') parentPort.postMessage({ id, type: 'unreadable', message: text })
      else if (text === 'fail') parentPort.postMessage({ id, type: 'failed', message: text })
      else parentPort.postMessage({ id, type: 'done', wav: new Uint8Array([threadId, text.length]) })
    })
  `)}`,
)
const open = (timeoutMs = 10_000, maxWaiting = 500) =>
  new AudioWorkers({ count: 1, url: THREAD, timeoutMs, maxWaiting })
const speak = (text: string): AudioTask => ({
  type: 'speak',
  text,
  voice: 'slt',
  rate: 1,
  gainDb: 0,
})
const run = (
  workers: AudioWorkers,
  text: string,
  { call = 'CA1', account = 'AC1', signal = new AbortController().signal } = {},
) => workers.run(speak(text), { group: account, member: call }, signal)

describe('AudioWorkers', () => {
  it('do jobs one after the other in one thread', async () => {
    await using workers = open()
    const results = await Promise.all(['a', 'bb', 'ccc'].map((text) => run(workers, text)))
    expect(results.map((wav) => wav[1])).toEqual([1, 2, 3])
    expect(new Set(results.map((wav) => wav[0])).size).toBe(1)
  })

  it.each([
    'die',
    'throw',
  ])('a job that makes threads %s is given up; the others are done', async (deadly) => {
    await using workers = open()
    const [dead, done] = await Promise.allSettled([run(workers, deadly), run(workers, 'after')])
    expect(dead.status === 'rejected' && dead.reason).toBeInstanceOf(AdapterError)
    expect(done.status).toBe('fulfilled')
  })

  it('a job that never ends has its thread ended', async () => {
    await using workers = open(1_500)
    const [stuck, done] = await Promise.allSettled([run(workers, 'hang'), run(workers, 'after')])
    expect(stuck.status === 'rejected' && stuck.reason).toBeInstanceOf(AdapterError)
    expect(done.status).toBe('fulfilled')
  })

  it('say whose fault it was', async () => {
    await using workers = open()
    await expect(run(workers, 'unreadable')).rejects.toBeInstanceOf(UnreadableAudioError)
    await expect(run(workers, 'fail')).rejects.toBeInstanceOf(AdapterError)
  })

  it('take no more than may wait', async () => {
    await using workers = open(10_000, 1)
    const taken = [run(workers, 'a'), run(workers, 'b')]
    await expect(run(workers, 'c')).rejects.toMatchObject({ isRetryable: true })
    await Promise.all(taken)
  })

  it('make the jobs of accounts in turn, and one account fills no other’s queue', async () => {
    await using workers = open(10_000, 3)
    const made: string[] = []
    const note = async (text: string, account: string) => {
      await run(workers, text, { account, call: text })
      made.push(text)
    }
    const all = ['a1', 'a2', 'a3', 'a4'].map((text) => note(text, 'AC1'))
    all.push(note('b1', 'AC2'))
    await Promise.all(all)
    expect(made.slice(0, 2)).toEqual(['a1', 'b1'])
  })

  it('do not begin a job that nobody wants any more, and end the thread of one', async () => {
    await using workers = open()
    const stop = new AbortController()
    const reason = new Error('the call is over')
    const { signal } = stop
    const unwanted = ['hang', 'die'].map((text) => run(workers, text, { signal }))
    const wanted = run(workers, 'after')
    stop.abort(reason)
    for (const result of await Promise.allSettled(unwanted))
      expect(result).toMatchObject({ reason })
    expect((await wanted)[1]).toBe(5)
    await expect(run(workers, 'a', { signal })).rejects.toBe(reason)
  })

  it('end with their jobs when disposed', async () => {
    const workers = open()
    const all = Promise.allSettled([run(workers, 'hang'), run(workers, 'a')])
    await workers[Symbol.asyncDispose]()
    for (const result of await all) expect(result.status).toBe('rejected')
    await expect(run(workers, 'a')).rejects.toBeInstanceOf(AdapterError)
  })
})
