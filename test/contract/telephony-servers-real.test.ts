import { describe, it } from 'vitest'
import { describeServers } from './telephony-servers.contract.js'

const { DRACHTIO_URL: drachtioUrl, FREESWITCH_URL: freeswitchUrl = '' } = process.env
const [first, second] = freeswitchUrl.split(',')

if (drachtioUrl !== undefined && first !== undefined && second !== undefined)
  describeServers('real servers', () =>
    Promise.resolve({
      drachtioUrl,
      freeswitchUrl: first,
      freeswitchUrls: [first, second],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
  )
else
  describe('several real media servers', () => {
    it.skip('need DRACHTIO_URL and two entries of FREESWITCH_URL', () => undefined)
  })
