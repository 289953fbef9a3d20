import { describe, it } from 'vitest'
import { describeTelephony } from './telephony.contract.js'

const { DRACHTIO_URL: drachtioUrl, FREESWITCH_URL: freeswitchUrl } = process.env

if (drachtioUrl !== undefined && freeswitchUrl !== undefined)
  describeTelephony('real servers [F53]', () =>
    Promise.resolve({
      drachtioUrl,
      freeswitchUrl,
      speaksOpus: true,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  )
else
  describe('telephony on real servers [F53]', () => {
    it.skip('needs DRACHTIO_URL and FREESWITCH_URL, tcp://:SECRET@HOST:PORT', () => undefined)
  })
