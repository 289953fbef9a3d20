import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SharedWork } from '../../../../src/platform/async/shared-work.js'
import { FileCache } from '../../../../src/platform/files/file-cache.js'
import { maxAgeMs } from '../../../../src/voice/media-files/media-cache.js'
import { tempFolder } from '../../../support/process/temp-folder.js'

const REASON = new Error('enough')
const never = new AbortController().signal
const content = (length: number) => new Uint8Array(length).fill(7)

function timedCache(directory: string, maxBytes: number) {
  const time = { now: 1_000_000 }
  const clock = { now: () => time.now, monotonic: () => time.now }
  return { time, cache: new FileCache({ directory, maxBytes, clock }) }
}

describe('FileCache', () => {
  it('gives back what was added, also to the next process', async () => {
    using folder = tempFolder()
    const directory = join(folder.path, 'not/yet/there')
    const { cache } = timedCache(directory, 1000)
    expect(await cache.find('a')).toBeUndefined()
    const { path } = await cache.add('a', content(10))
    expect(readFileSync(path)).toHaveLength(10)
    expect(await timedCache(directory, 1000).cache.find('a')).toEqual({ path, bytes: 10 })
  })

  it('deletes what was unused longest, but nothing used within a minute', async () => {
    using folder = tempFolder()
    const { cache, time } = timedCache(folder.path, 25)
    for (const key of ['a', 'b', 'c']) await cache.add(key, content(10))
    expect(readdirSync(folder.path)).toHaveLength(3)
    time.now += 61_000
    await cache.find('a')
    await cache.add('d', content(10))
    expect(readdirSync(folder.path).sort()).toEqual(['a.wav', 'd.wav'])
    expect(await cache.find('b')).toBeUndefined()
  })

  it('knows how long earlier processes’ files were unused', async () => {
    using folder = tempFolder()
    for (const [name, usedAt] of [
      ['old', 100],
      ['new', 200],
    ] as const) {
      const path = join(folder.path, `${name}.wav`)
      writeFileSync(path, content(10))
      utimesSync(path, usedAt, usedAt)
    }
    const { cache } = timedCache(folder.path, 25)
    await cache.add('c', content(10))
    expect(readdirSync(folder.path).sort()).toEqual(['c.wav', 'new.wav'])
  })

  it('counts a file that is added again once', async () => {
    using folder = tempFolder()
    const { cache, time } = timedCache(folder.path, 25)
    for (let n = 0; n < 5; n += 1) await cache.add('a', content(10))
    time.now += 61_000
    await cache.add('b', content(10))
    expect(existsSync(join(folder.path, 'a.wav'))).toBe(true)
  })

  it('makes again what somebody deleted', async () => {
    using folder = tempFolder()
    const { cache } = timedCache(folder.path, 1000)
    const { path } = await cache.add('a', content(10))
    rmSync(path)
    expect(await cache.find('a')).toBeUndefined()
    await cache.add('a', content(10))
    expect(existsSync(path)).toBe(true)
  })

  it('leaves no unfinished file, its own or a killed process’s', async () => {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'a.wav.123.part'), 'x')
    await timedCache(folder.path, 1000).cache.add('b', content(10))
    expect(readdirSync(folder.path)).toEqual(['b.wav'])
  })
})

describe('SharedWork', () => {
  const startable = () => {
    const seen = { starts: 0, stops: 0, finish: (_value: string): void => undefined }
    const work = (signal: AbortSignal) => {
      seen.starts += 1
      signal.addEventListener('abort', () => {
        seen.stops += 1
      })
      return new Promise<string>((resolve) => {
        seen.finish = resolve
      })
    }
    return { seen, work, shared: new SharedWork<string>() }
  }

  it('is done once for all who wait', async () => {
    const { seen, work, shared } = startable()
    const waiting = ['a', 'a', 'a'].map((key) => shared.run(key, never, work))
    seen.finish('done')
    expect(await Promise.all(waiting)).toEqual(['done', 'done', 'done'])
    expect(seen.starts).toBe(1)
  })

  it('goes on for the others when one leaves', async () => {
    const { seen, work, shared } = startable()
    const leaver = new AbortController()
    const [left, stayed] = [shared.run('a', leaver.signal, work), shared.run('a', never, work)]
    leaver.abort(REASON)
    await expect(left).rejects.toBe(REASON)
    expect(seen.stops).toBe(0)
    seen.finish('done')
    expect(await stayed).toBe('done')
  })

  it('stops when the last one leaves, and starts anew for who comes then', async () => {
    const { seen, work, shared } = startable()
    const leaver = new AbortController()
    const left = shared.run('a', leaver.signal, work)
    leaver.abort(REASON)
    await expect(left).rejects.toBe(REASON)
    expect(seen.stops).toBe(1)
    const next = shared.run('a', never, work)
    expect(seen.starts).toBe(2)
    seen.finish('done')
    expect(await next).toBe('done')
  })

  it('fails for all who wait, and is tried again', async () => {
    const shared = new SharedWork<string>()
    const failing = () => Promise.reject(REASON)
    const waiting = [shared.run('a', never, failing), shared.run('a', never, failing)]
    for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe('rejected')
    expect(await shared.run('a', never, () => Promise.resolve('done'))).toBe('done')
  })
})

it.each<[string | undefined, number]>([
  [undefined, 0],
  ['', 0],
  ['max-age=60', 60_000],
  ['public, Max-Age=60', 60_000],
  ['max-age="60"', 60_000],
  ['max-age=60, no-cache', 0],
  ['no-store, max-age=60', 0],
  ['max-age=-1', 0],
  ['max-age=x', 0],
  ['s-maxage=60', 0],
])('Cache-Control: %s → %d ms', (header, ms) => {
  expect(maxAgeMs(header)).toBe(ms)
})
