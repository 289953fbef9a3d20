import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { type PeerAudio, sourceHeader } from './peer-audio.js'

/**
 * Answers the next re-INVITE that FreeSWITCH sends for the channel with the peer's audio line. `done` gets
 * FreeSWITCH's offer, once FreeSWITCH has acknowledged the answer.
 */
export function answerNextOffer(
  dialog: Dialog,
  peer: PeerAudio,
  done: (offer: string) => void,
): void {
  const handle = dialog.handle.bind(dialog)
  // The package would answer a re-INVITE by itself, with the SDP that it knows.
  dialog.handle = (req: SrfRequest, res: SrfResponse) => {
    if (req.method !== 'INVITE') {
      handle(req, res)
      return
    }
    dialog.handle = handle
    dialog.once('ack', () => {
      done(req.body ?? '')
    })
    const headers = {
      Contact: dialog.local.contact,
      'Content-Type': 'application/sdp',
      ...sourceHeader(peer),
    }
    res.send(200, { headers, body: peer.sdp })
  }
}
