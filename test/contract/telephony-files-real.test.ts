import { describe, it } from 'vitest'
import { HTTP_FILES_MODULE } from '../../src/voice/telephony/needed-modules.js'
import { eslApi } from '../support/media/esl-api.js'
import { describeFiles } from './telephony-files.contract.js'

const { DRACHTIO_URL: drachtioUrl, FREESWITCH_URL: freeswitchUrls } = process.env
const [freeswitchUrl = ''] = (freeswitchUrls ?? '').split(',')
const hasModule =
  freeswitchUrl !== '' &&
  (await eslApi(freeswitchUrl, `module_exists ${HTTP_FILES_MODULE}`)) === 'true'

if (drachtioUrl !== undefined && hasModule)
  describeFiles('real servers', () =>
    Promise.resolve({
      drachtioUrl,
      freeswitchUrl,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  )
else
  describe('files of real servers', () => {
    it.skip('need DRACHTIO_URL and a FREESWITCH_URL with mod_http_cache', () => undefined)
  })
