import { describe, expect, it } from 'vitest'
import { DocumentReplacedError } from '../../../../src/voice/markup/document.js'
import { BASE, FakeCall, type Scenario } from './fake-host.js'

const AFTER = 'http://app.example/after'
const BODY = '<Connect action="/after"><Stream url="wss://far.example/"/></Connect><Say>Next</Say>'

/** Runs the document; the far end of its stream closes when it says. What happened, and when. */
async function run(scenario: Scenario & { readonly closesAt?: number }, body = BODY) {
  const call: FakeCall = new FakeCall({
    ...scenario,
    documents: { [BASE]: body, [AFTER]: '<Hangup/>' },
    host: {
      startStream: () => {
        let end = (): void => undefined
        const ended = new Promise<void>((resolve) => {
          end = () => {
            call.timeline.push(`${call.time.now} stream over`)
            resolve()
          }
        })
        const { closesAt } = scenario
        const close = () => {
          end()
        }
        const forget = closesAt === undefined ? undefined : call.time.at(closesAt, close)
        const stop = () => {
          forget?.()
          end()
        }
        return Promise.resolve({ sid: 'MZ1', ended, stop })
      },
      ...scenario.host,
    },
  })
  await call.run({ type: 'url', request: { url: BASE, method: 'POST', params: {} } }).catch(
    () => undefined, // the end of the call
  )
  return call.timeline.slice(1)
}

describe('the action of a Connect', () => {
  it('is asked when the stream has let the call go', async () => {
    expect(await run({ closesAt: 3_000 })).toEqual(['3000 stream over', `3000 POST ${AFTER}`])
  })

  it('is told, once, when the caller hangs up', async () => {
    expect(await run({ hangupAt: 2_000 })).toEqual([
      '2000 hang-up',
      '2000 stream over',
      `2000 tell POST ${AFTER} `,
    ])
  })

  it('is told, once, when the call ends in another way', async () => {
    expect(await run({ abortAt: 2_000 })).toEqual(['2000 stream over', `2000 tell POST ${AFTER} `])
  })

  it('is told when the stream ends with the leg, before the end of the call is noticed', async () => {
    expect(await run({ closesAt: 2_000, leg: { state: 'ended' } })).toEqual([
      '2000 stream over',
      `2000 tell POST ${AFTER} `,
    ])
  })

  it('is not asked when another document takes the call over, whose stream may begin', async () => {
    const abortReason = new DocumentReplacedError('another document takes over')
    expect(await run({ abortAt: 2_000, abortReason })).toEqual(['2000 stream over'])
  })

  it('may be absent: the next verb runs, but not on a call that is over', async () => {
    const body = BODY.replace(' action="/after"', '')
    expect(await run({ closesAt: 2_000 }, body)).toContain('2000 say Next')
    expect(await run({ closesAt: 2_000, leg: { state: 'ended' } }, body)).toEqual([
      '2000 stream over',
    ])
  })
})
