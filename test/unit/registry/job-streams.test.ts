import { describe, expect, it } from 'vitest'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/log.js'
import {
  type JobHandlers,
  type JobsCore,
  runDueJobs,
  schedule,
} from '../../../src/registry/jobs/jobs.js'
import { twoNodes } from '../../support/process/database-of-two-nodes.js'

const TIMES = Array.from({ length: 20 }, (_, index) => index)

function coreOf(db: Database, now: () => number): JobsCore {
  return { db, clock: { now }, log: createLogger('silent') }
}

describe('registry jobs that two nodes find due', () => {
  it('run one at a time when they are of one stream, in its order', async () => {
    await using t = await twoNodes()
    await t.a.write(async (tx) => {
      for (const index of TIMES)
        await schedule(tx, 'job', `job ${index}`, 0, {
          stream: 'B1',
          part: index % 2 === 0 ? null : 'C1',
        })
    })
    const acted: string[] = []
    let running = 0
    const handlers: JobHandlers = {
      job: {
        type: 'perform',
        run: async ({ subject }) => {
          running += 1
          expect(running).toBe(1)
          acted.push(subject)
          await new Promise(setImmediate)
          running -= 1
          return () => Promise.resolve()
        },
      },
    }
    // A node stops when nothing is free for it; the other one goes on.
    const { signal } = new AbortController()
    await Promise.all(
      [t.a, t.b].map((db) =>
        runDueJobs(
          coreOf(db, () => 1_000),
          handlers,
          signal,
        ),
      ),
    )
    expect(acted).toEqual(TIMES.map((index) => `job ${index}`))
  })
})

describe('a registry job that fails', () => {
  it('holds back the later ones of its stream, but not those of another part of it', async () => {
    await using t = await twoNodes()
    const order = (part: string | null) => ({ stream: 'B1', part })
    await t.a.write(async (tx) => {
      await schedule(tx, 'job', 'fails at first', 0, order('C1'))
      await schedule(tx, 'job', 'same part', 0, order('C1'))
      await schedule(tx, 'job', 'other part', 0, order('C2'))
      await schedule(tx, 'job', 'whole stream', 0, order(null))
      await schedule(tx, 'job', 'after the whole', 0, order('C2'))
      await schedule(tx, 'job', 'other stream', 0, { stream: 'B2', part: null })
    })
    const acted: string[] = []
    let now = 1_000
    const core = coreOf(t.b, () => now)
    const handlers: JobHandlers = {
      job: {
        type: 'perform',
        run: ({ subject, attempts }) => {
          acted.push(subject)
          if (subject === 'fails at first' && attempts === 0) throw new Error('away')
          return Promise.resolve(() => Promise.resolve())
        },
      },
    }
    const { signal } = new AbortController()
    await runDueJobs(core, handlers, signal)
    expect(acted.splice(0)).toEqual(['fails at first', 'other part', 'other stream'])
    now += 1_000
    await runDueJobs(core, handlers, signal)
    expect(acted).toEqual(['fails at first', 'same part', 'whole stream', 'after the whole'])
  })
})
