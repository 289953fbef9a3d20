import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { probeDrachtio } from '../../src/cli/trunkline/doctor/probe-drachtio.js'
import { parseServerUrl } from '../../src/voice/telephony/server-url.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { makeAuthority } from '../support/sip/certificates.js'
import { describeTls } from './telephony-tls.contract.js'

/** Its own drachtio: where one has TLS, keys go over nothing else, and the other cases send them. */
const {
  DRACHTIO_TLS_URL: drachtioUrl,
  DRACHTIO_TLS_CA: authorityFile,
  FREESWITCH_URL: freeswitchUrl,
} = process.env

if (drachtioUrl !== undefined && authorityFile !== undefined && freeswitchUrl !== undefined)
  describeTls('real servers', async () => {
    const folder = tempFolder()
    const authority = await makeAuthority(folder.path)
    const { addresses } = await probeDrachtio(parseServerUrl(drachtioUrl))
    const own = addresses.find((each) => each.startsWith('tls/'))
    return {
      drachtioUrl,
      freeswitchUrl,
      tlsPort: Number(own?.split(':').at(-1)),
      authority: { ...authority, cert: readFileSync(authorityFile, 'utf8') },
      [Symbol.asyncDispose]: () => {
        folder[Symbol.dispose]()
        return Promise.resolve()
      },
    }
  })
else
  describe('SIP over TLS on real servers', () => {
    it.skip('needs DRACHTIO_TLS_URL, a drachtio with TLS, and DRACHTIO_TLS_CA', () => undefined)
  })
