import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import { sourceHeader } from './peer-audio.js'

/** The answer to an offer of FreeSWITCH, and the address that sent it; empty when it is nobody's. */
export interface ChannelAnswer {
  readonly sdp: string
  readonly from: string
}

/**
 * Answers the next re-INVITE that FreeSWITCH sends for the channel, with what `answerTo` makes of its
 * offer. Resolves with the offer, once FreeSWITCH has acknowledged the answer.
 */
export function answerNextOffer(
  dialog: Dialog,
  answerTo: (offer: string) => ChannelAnswer,
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
    const offer = req.body ?? ''
    const { sdp, from } = answerTo(offer)
    dialog.once('ack', () => {
      done(offer)
    })
    const headers = {
      Contact: dialog.local.contact,
      'Content-Type': 'application/sdp',
      ...sourceHeader({ from }),
    }
    res.send(200, { headers, body: sdp })
  }
}
