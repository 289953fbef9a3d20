import { describe, it } from 'vitest'
import { describeMediaServer } from './media-clients.contract.js'

const { DRACHTIO_URL: drachtioUrl, FREESWITCH_URL: freeswitchUrl } = process.env

if (drachtioUrl !== undefined && freeswitchUrl !== undefined)
  describeMediaServer('FreeSWITCH', () =>
    Promise.resolve({
      urls: { drachtioUrl, freeswitchUrl },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  )
else
  describe('clients of a media server on real servers', () => {
    it.skip('needs DRACHTIO_URL and FREESWITCH_URL, tcp://:SECRET@HOST:PORT', () => undefined)
  })
