import { describe, expect, it } from 'vitest'
import { Playout } from '../../../../src/voice/streams/media/playout.js'

const FRAME_MS = 20
const SAMPLES_PER_MS = 8

/**
 * A media server as the recordings show it: gathers 160 ms at first and 80 ms at a time from then on,
 * plays what it released, keeps marks between the samples, and forgets all when told to be silent.
 */
function mediaServer() {
  const marks: { readonly name: string; at: number | undefined }[] = []
  const state = { written: 0, released: 0, played: 0, gather: 160 * SAMPLES_PER_MS, silenced: 0 }
  const heard: { readonly mark: string; readonly playedMs: number }[] = []
  return {
    state,
    heard,
    line: {
      speak: (audio: Buffer) => {
        for (const mark of marks) mark.at ??= state.written
        state.written += audio.length / 2
        if (state.written - state.released >= state.gather) {
          state.released = state.written
          state.gather = 80 * SAMPLES_PER_MS
        }
        return true
      },
      mark: (name: string) => {
        marks.push({ name, at: undefined })
      },
      silence: () => {
        state.silenced += 1
        state.released = state.written
        state.played = state.written
        marks.length = 0
      },
    },
    /** Marks that come back in this frame. */
    playFrame: (): string[] => {
      const count = Math.min(FRAME_MS * SAMPLES_PER_MS, state.released - state.played)
      state.played += count
      const [first] = marks
      if (first === undefined) return []
      const isDue = first.at === undefined ? count === 0 : first.at <= state.played && count > 0
      if (!isDue) return []
      marks.shift()
      return [first.name]
    },
  }
}

/** A playout whose time the test lets pass. */
function rig() {
  const server = mediaServer()
  const returned: { readonly name: string; readonly at: number }[] = []
  let now = 1_000
  const playout = new Playout(server.line, (name) => returned.push({ name, at: now - 1_000 }))
  return {
    ...{ server, returned, playout },
    now: () => now,
    pass: (ms: number) => {
      for (const end = now + ms; now < end; ) {
        now += FRAME_MS
        for (const id of server.playFrame()) playout.markReturned(id)
        playout.tick(now)
      }
    },
    names: () => returned.map(({ name }) => name),
  }
}

const audio = (ms: number) => new Uint8Array(ms * SAMPLES_PER_MS)

describe('a playout', () => {
  it('keeps the media server a little ahead only, and plays all of it', () => {
    const { playout, server, pass, now } = rig()
    playout.push(audio(2_000), now())
    expect(server.state.written / SAMPLES_PER_MS).toBe(300)
    pass(1_000)
    expect(server.state.written / SAMPLES_PER_MS).toBeLessThanOrEqual(1_320)
    pass(2_000)
    expect(server.state.played).toBeGreaterThanOrEqual(2_000 * SAMPLES_PER_MS)
    expect(server.state.played).toBe(server.state.written)
  })

  it.each([20, 100, 160, 1_010])('of %i ms leaves nothing stuck', (ms) => {
    const { playout, server, pass, now, names } = rig()
    playout.push(audio(ms), now())
    playout.mark('end', now())
    pass(ms + 600)
    expect(server.state.played).toBeGreaterThanOrEqual(ms * SAMPLES_PER_MS)
    expect(names()).toEqual(['end'])
  })

  it('returns marks when what was before them was played', () => {
    const { playout, returned, pass, now } = rig()
    for (const name of ['1', '2', '3', '4']) {
      playout.push(audio(200), now())
      playout.mark(name, now())
    }
    pass(2_000)
    expect(returned.map(({ name }) => name)).toEqual(['1', '2', '3', '4'])
    for (const [i, { at }] of returned.entries()) {
      expect(at).toBeGreaterThanOrEqual(200 * (i + 1))
      expect(at).toBeLessThanOrEqual(200 * (i + 1) + 100)
    }
  })

  it('returns a mark at once when nothing plays', () => {
    const { playout, names, now } = rig()
    playout.mark('now', now())
    expect(names()).toEqual(['now'])
  })

  it('cleared, is silent and returns every mark in order, once', () => {
    const { playout, server, names, pass, now } = rig()
    for (const name of ['1', '2', '3']) {
      playout.push(audio(250), now())
      playout.mark(name, now())
    }
    pass(100)
    playout.clear()
    expect(names()).toEqual(['1', '2', '3'])
    expect(server.state.silenced).toBe(1)
    const { written } = server.state
    pass(1_000)
    expect(server.state.written).toBe(written)
    expect(names()).toEqual(['1', '2', '3'])
    playout.push(audio(500), now())
    playout.mark('4', now())
    pass(1_500)
    expect(names()).toEqual(['1', '2', '3', '4'])
  })

  it('passes frames on as they come, in their own time', () => {
    const { playout, server, pass, now } = rig()
    for (let i = 0; i < 100; i += 1) {
      playout.push(audio(FRAME_MS), now())
      pass(FRAME_MS)
    }
    // Nothing was put between them.
    expect(server.state.written).toBe(100 * FRAME_MS * SAMPLES_PER_MS)
    expect(server.state.played / SAMPLES_PER_MS).toBeGreaterThan(1_780)
  })

  it('takes ten minutes and no more, and all the marks of a long speech', () => {
    const { playout, names, now, pass } = rig()
    for (let i = 0; i < 10; i += 1) expect(playout.push(audio(60_000), now())).toBe(true)
    expect(playout.push(audio(1_000), now())).toBe(false)
    playout.clear()
    for (let i = 0; i < 200; i += 1) {
      playout.push(audio(FRAME_MS), now())
      playout.mark(String(i), now())
    }
    pass(6_000)
    expect(names()).toEqual(Array.from({ length: 200 }, (_, i) => String(i)))
  })
})
