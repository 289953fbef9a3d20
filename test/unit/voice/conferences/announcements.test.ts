import { describe, expect, it } from 'vitest'
import { createLogger } from '../../../../src/platform/log.js'
import { Announcements } from '../../../../src/voice/conferences/announcements.js'
import type { AnnouncementNews } from '../../../../src/voice/conferences/conference-callbacks.js'
import { BusyAnnouncementsError } from '../../../../src/voice/conferences/conference-errors.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const ANNOUNCEMENT = { url: 'http://127.0.0.1/announce', method: 'POST' } as const

describe('announcements of a room in which nobody can hear', () => {
  it('fail one after the other, and more than may wait are refused', async () => {
    const told: AnnouncementNews[] = []
    const announcements = new Announcements({
      log: createLogger('silent'),
      audience: () => [],
      report: (news) => {
        told.push(news)
        return Promise.resolve()
      },
    })
    const add = () => {
      announcements.add(ANNOUNCEMENT, undefined)
    }
    for (let count = 0; count < 20; count += 1) add()
    expect(add).toThrow(BusyAnnouncementsError)
    await waitUntil('all were told of', () => told.length === 20)
    expect(told[0]).toEqual({
      ...{ type: 'announcement-fail', url: ANNOUNCEMENT.url, participant: undefined },
      reason: 'no participant can hear it',
    })
    announcements.close()
    await waitUntil(
      'its turn came',
      () => {
        try {
          add()
          return true
        } catch (error) {
          if (error instanceof BusyAnnouncementsError) return false
          throw error
        }
      },
      10_000,
    )
    await waitUntil('the last was told of', () => told.length === 21)
    expect(told[20]).toMatchObject({ reason: 'the conference is over' })
  })
})
