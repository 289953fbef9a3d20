import { describe, expect, it } from 'vitest'
import { AdapterError } from '../../../../src/platform/errors.js'
import { AudioWorkers } from '../../../../src/voice/audio/audio-workers.js'
import { UnreadableAudioError } from '../../../../src/voice/audio/unreadable-audio-error.js'
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

describe('AudioWorkers', () => {
  it('do jobs one after the other in one thread', async () => {
    await using workers = open()
    const results = await Promise.all(['a', 'bb', 'ccc'].map((text) => workers.run(speak(text))))
    expect(results.map((wav) => wav[1])).toEqual([1, 2, 3])
    expect(new Set(results.map((wav) => wav[0])).size).toBe(1)
  })

  it.each([
    'die',
    'throw',
  ])('a job that makes threads %s is given up; the others are done', async (deadly) => {
    await using workers = open()
    const [dead, done] = await Promise.allSettled([
      workers.run(speak(deadly)),
      workers.run(speak('after')),
    ])
    expect(dead.status === 'rejected' && dead.reason).toBeInstanceOf(AdapterError)
    expect(done.status).toBe('fulfilled')
  })

  it('a job that never ends has its thread ended', async () => {
    await using workers = open(1_500)
    const [stuck, done] = await Promise.allSettled([
      workers.run(speak('hang')),
      workers.run(speak('after')),
    ])
    expect(stuck.status === 'rejected' && stuck.reason).toBeInstanceOf(AdapterError)
    expect(done.status).toBe('fulfilled')
  })

  it('say whose fault it was', async () => {
    await using workers = open()
    await expect(workers.run(speak('unreadable'))).rejects.toBeInstanceOf(UnreadableAudioError)
    await expect(workers.run(speak('fail'))).rejects.toBeInstanceOf(AdapterError)
  })

  it('take no more than may wait', async () => {
    await using workers = open(10_000, 1)
    const taken = [workers.run(speak('a')), workers.run(speak('b'))]
    await expect(workers.run(speak('c'))).rejects.toMatchObject({ isRetryable: true })
    await Promise.all(taken)
  })

  it('end with their jobs when disposed', async () => {
    const workers = open()
    const all = Promise.allSettled([workers.run(speak('hang')), workers.run(speak('a'))])
    await workers[Symbol.asyncDispose]()
    for (const result of await all) expect(result.status).toBe('rejected')
    await expect(workers.run(speak('a'))).rejects.toBeInstanceOf(AdapterError)
  })
})
