/** Replays one script on the lab and on the FreeSWITCH that `FREESWITCH_URL` names, and compares. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { connectMediaClient, openLab, type ServerUrls } from '../support/media/lab.js'
import { replayScript, type Traffic } from '../support/media/replay-script.js'

const SCRIPT = new URL('../conformance/scripts/channels.txt', import.meta.url)
const { DRACHTIO_URL: drachtioUrl, FREESWITCH_URL: freeswitchUrl } = process.env

async function trafficOf(urls: ServerUrls): Promise<Traffic> {
  await using client = await connectMediaClient(urls)
  return await replayScript(readFileSync(SCRIPT, 'utf8'), client, urls)
}

if (drachtioUrl !== undefined && freeswitchUrl !== undefined)
  describe('the lab beside FreeSWITCH', () => {
    it('answers a script of commands alike, and tells each channel’s events in the same order', async () => {
      await using lab = await openLab()
      const [real, ours] = [await trafficOf({ drachtioUrl, freeswitchUrl }), await trafficOf(lab)]
      expect(ours.answers).toEqual(real.answers)
      expect(ours.events).toEqual(real.events)
    })
  })
else
  describe('the lab beside FreeSWITCH', () => {
    it.skip('needs DRACHTIO_URL and FREESWITCH_URL, tcp://:SECRET@HOST:PORT', () => undefined)
  })
