import { EventEmitter } from 'node:events'
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { expect, it } from 'vitest'
import { createLogger } from '../../../../../src/platform/log.js'
import type { MediaEndpoint } from '../../../../../src/voice/telephony/freeswitch/media-endpoint.js'
import { watchDialog } from '../../../../../src/voice/telephony/legs/dialog-requests.js'

// An empty re-INVITE asks nothing of the media server.
const NO_ENDPOINT = undefined as unknown as MediaEndpoint
const SDP = 'v=0\r\no=a 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n'

/** A dialog without a server; `offer` hands it an empty re-INVITE. */
function watched() {
  const dialog = Object.assign(new EventEmitter(), {
    handle: () => undefined,
    local: { contact: '<sip:us@192.0.2.2>', sdp: SDP },
  }) as unknown as Dialog
  const ignore = () => undefined
  watchDialog(
    dialog,
    { endpoint: NO_ENDPOINT, remoteSdp: SDP, localSdp: SDP, security: 'plain' },
    { onBye: ignore, onDigit: ignore, onNotify: ignore, onRefer: ignore, onSip: ignore },
    createLogger('silent'),
  )
  const req = { method: 'INVITE', body: '', get: () => '2 INVITE' } as unknown as SrfRequest
  return (send: (status: number) => void) => {
    dialog.handle(req, { send } as unknown as SrfResponse)
  }
}

it('a re-INVITE whose answer could not be sent does not hold back the next one', async () => {
  const offer = watched()
  offer(() => {
    throw new Error('the connection is gone')
  })
  await new Promise(setImmediate)
  const statuses: number[] = []
  offer((status) => statuses.push(status))
  expect(statuses).toEqual([200])
})
