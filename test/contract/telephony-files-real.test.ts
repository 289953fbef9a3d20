import { describe, it } from 'vitest'
import { describeFiles } from './telephony-files.contract.js'

const { DRACHTIO_URL: drachtioUrl, FREESWITCH_URL: freeswitchUrl } = process.env

if (drachtioUrl !== undefined && freeswitchUrl !== undefined)
  describeFiles('real servers', () =>
    Promise.resolve({
      drachtioUrl,
      freeswitchUrl: freeswitchUrl.split(',')[0] ?? '',
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  )
else
  describe('files of real servers', () => {
    it.skip('need DRACHTIO_URL and a FREESWITCH_URL with mod_http_cache', () => undefined)
  })
