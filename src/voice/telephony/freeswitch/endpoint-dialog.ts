import type { Dialog, UacOptions } from 'drachtio-srf'
import { mutedAnswer } from '../sdp.js'

/** A dialog from an INVITE without SDP. Its 200 contains an offer and waits for our answer. */
export interface OfferedDialog {
  readonly sdp: string
  ack(answer: string): Promise<Dialog>
}

export interface Uac {
  createUAC(uri: string, options: UacOptions & { readonly noAck: true }): Promise<OfferedDialog>
  createUAC(uri: string, options: UacOptions): Promise<Dialog>
}

/**
 * Creates the SIP dialog with FreeSWITCH. Without an offer from us, FreeSWITCH offers SRTP first.
 * drachtio-fsmrf would accept that, and the peer would then hear noise.
 */
export async function endpointDialog(uac: Uac, uri: string, options: UacOptions): Promise<Dialog> {
  const dialog =
    options.localSdp === undefined
      ? await acceptOffer(uac, uri, options)
      : await uac.createUAC(uri, options)
  const destroy = dialog.destroy.bind(dialog)
  // drachtio-fsmrf ignores this promise when a channel never connects back.
  dialog.destroy = (options) => {
    const done = destroy(options)
    done.catch(() => undefined)
    return done
  }
  return dialog
}

async function acceptOffer(uac: Uac, uri: string, options: UacOptions): Promise<Dialog> {
  const offered = await uac.createUAC(uri, { ...options, noAck: true })
  return offered.ack(mutedAnswer(offered.sdp))
}
