import { describe, expect, it } from 'vitest'
import { connectMediaClient } from '../support/media/lab.js'
import { rms } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { describeMediaServer } from './media-clients.contract.js'

const { DRACHTIO_URL: drachtioUrl, FREESWITCH_URL: freeswitchUrl } = process.env
/** The sentence is said twice, in eleven seconds. */
const SAID_WITHIN_MS = 30_000

if (drachtioUrl !== undefined && freeswitchUrl !== undefined) {
  const urls = { drachtioUrl, freeswitchUrl }
  describeMediaServer('FreeSWITCH', () =>
    Promise.resolve({ urls, [Symbol.asyncDispose]: () => Promise.resolve() }),
  )
  describe('FreeSWITCH without trunkline', () => {
    it.each([
      ['that waits', undefined],
      ['that hears music', 'tone_stream://%(400,0,440);loops=300'],
    ])('says a sentence to a channel %s, and ends it', async (_title, music) => {
      await using client = await connectMediaClient(urls)
      const { endpoint, peer } = await client.endpoint()
      if (music !== undefined) {
        // It ends with the connection.
        endpoint.play(music).catch(() => undefined)
        await peer.waitForTone(440)
      }
      endpoint.conn.socket.destroy()
      if (music !== undefined) {
        await waitUntil('the music has ended', () => !peer.hears(440))
        // What is heard from here on is the sentence, and no rest of the music.
        peer.forget()
      }
      await waitUntil('it speaks', () => rms(peer.heardLately()) > 500)
      expect(await client.mediaServer.api(`uuid_exists ${endpoint.uuid}`)).toBe('true')
      const isGone = async () =>
        (await client.mediaServer.api(`uuid_exists ${endpoint.uuid}`)) === 'false'
      await waitUntil('the channel has ended', isGone, SAID_WITHIN_MS)
    })
  })
} else
  describe('clients of a media server on real servers', () => {
    it.skip('needs DRACHTIO_URL and FREESWITCH_URL, tcp://:SECRET@HOST:PORT', () => undefined)
  })
