import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { runSay, type SayContext } from '../../../../src/voice/markup/verbs/run-say.js'
import { createSpeech } from '../../../../src/voice/synthesis/speech.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { AUDIO_WORKER } from '../../../support/sound/sound.js'
import { verbOf } from '../markup/parse/support.js'

const LONG = 'Your call is important to us, and we shall answer it as soon as we can today. '
const MAX = 3_000

/** Calls that share the engine. Each hears a piece in no time: what is made is what holds them up. */
function setUp(directory: string) {
  const speech = createSpeech({ directory, workerUrl: AUDIO_WORKER, clock: systemClock })
  const heard: string[] = []
  const say = async (
    call: { accountSid: string; callSid: string },
    text: string,
    signal = new AbortController().signal,
  ) => {
    const host: SayContext['host'] = {
      synthesise: async (wanted, _warn, stop) => {
        const { path } = await speech.synthesise(wanted, call, stop)
        return { type: 'file', path }
      },
      log: ({ type }) => {
        throw new Error(`a Say of plain text logs a ${type}`)
      },
      leg: {
        media: {
          play: () => {
            heard.push(call.callSid)
            return Promise.resolve()
          },
        },
      },
    }
    const { verb } = verbOf('say', `<Say>${text}</Say>`)
    await runSay(verb, { host, signal, onProgress: () => undefined })
  }
  return { speech, heard, say }
}

/** Texts that differ: what is alike is made once. */
const longText = (index: number) => `${index} ${LONG}`.repeat(MAX).slice(0, MAX)

describe('calls of two accounts that share the engine', () => {
  it('a short Say is heard beside long ones of another account, after no more than one piece', async () => {
    using folder = tempFolder()
    const { speech, heard, say } = setUp(folder.path)
    await using _speech = speech
    const stop = new AbortController()
    const long = [1, 2, 3, 4].map((index) =>
      say({ accountSid: 'AC1', callSid: `long ${index}` }, longText(index), stop.signal),
    )
    await expect.poll(() => heard.length).toBeGreaterThan(4)
    const before = heard.length
    await say({ accountSid: 'AC2', callSid: 'short' }, 'Hello there, how are you today, my friend.')
    // The piece under way, and one that was asked for before.
    expect(heard.indexOf('short') - before).toBeLessThanOrEqual(2)
    stop.abort(new Error('the calls are over'))
    await Promise.allSettled(long)
  })

  it('the calls of one account hear their pieces in turn', async () => {
    using folder = tempFolder()
    const { speech, heard, say } = setUp(folder.path)
    await using _speech = speech
    await Promise.all(
      ['one', 'two'].map((callSid, index) =>
        say({ accountSid: 'AC1', callSid }, longText(index).slice(0, 400)),
      ),
    )
    const turns = heard.filter((callSid, index) => callSid !== heard[index - 1]).length
    expect(turns).toBeGreaterThan(heard.length / 2)
  })

  it('what a call over wanted is not made', async () => {
    using folder = tempFolder()
    const { speech, heard, say } = setUp(folder.path)
    await using _speech = speech
    const calls = Array.from({ length: 20 }, () => new AbortController())
    const gone = calls.map(({ signal }, index) =>
      say({ accountSid: 'AC1', callSid: `gone ${index}` }, longText(index), signal),
    )
    const next = say({ accountSid: 'AC1', callSid: 'next' }, 'Hello.')
    for (const call of calls) call.abort(new Error('the call is over'))
    await Promise.allSettled(gone)
    await next
    expect(heard).toEqual(['next'])
    expect(readdirSync(folder.path)).toHaveLength(1)
  })
})
