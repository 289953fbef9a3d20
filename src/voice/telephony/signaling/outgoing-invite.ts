import { randomUUID } from 'node:crypto'
import type { Dialog, SipError, SrfRequest, SrfResponse } from 'drachtio-srf'
import type { Logger } from '../../../platform/log.js'
import type { CheckedDial } from './dial-headers.js'
import { digestAuth } from './digest-auth.js'
import { inviteBody } from './multipart-body.js'
import { CALL_CAPABILITIES } from './option-tags.js'
import { inviteContact } from './own-contact.js'
import type { SignalingConnection } from './signaling-connection.js'

export interface InviteListeners {
  /** Called for the INVITE, and again for its retry with credentials. */
  readonly onSent: (request: SrfRequest) => void
  /** Called for each 101–199 response; each fork sends its own. */
  readonly onProvisional: (response: SrfResponse) => void
  /** Called after the 200 was received and acknowledged. */
  readonly onAccepted: (dialog: Dialog) => void
  /** Called for a 300–699 response, from the peer or from the stack. */
  readonly onRefused: (response: SrfResponse) => void
  /**
   * Called when no final response will come: drachtio did not accept the request, or the 200 was unusable.
   */
  readonly onFailed: (err: unknown) => void
}

/** One INVITE of ours until its final response. */
export class OutgoingInvite {
  readonly #signaling: SignalingConnection
  readonly #log: Logger
  #request: SrfRequest | undefined
  #isCanceled = false

  constructor(
    signaling: SignalingConnection,
    dial: CheckedDial,
    localSdp: string,
    listeners: InviteListeners,
    log: Logger,
  ) {
    this.#signaling = signaling
    this.#log = log
    const body = inviteBody(localSdp, dial.parts, randomUUID())
    const options = {
      // drachtio-srf writes into this object.
      headers: { ...dial.headers, ...CALL_CAPABILITIES, ...inviteContact(dial), ...body.headers },
      localSdp: body.content,
      ...(dial.proxy !== undefined && { proxy: dial.proxy }),
      ...(dial.auth && { auth: digestAuth(dial.auth, signaling.allowAnotherChallenge) }),
    }
    signaling.srf
      .createUAC(dial.uri, options, {
        cbRequest: (err, request) => {
          if (err || !request) return
          // drachtio-srf answers an UPDATE of the peer with this.
          options.localSdp = localSdp
          this.#sent(request, listeners)
          if (this.#isCanceled) this.cancel()
        },
        cbProvisional: (response) => {
          if (response.status > 100) listeners.onProvisional(response)
        },
      })
      .then((dialog) => {
        // drachtio-srf refreshes the dialog with this, which must be SDP and not a multipart body.
        dialog.local.sdp = localSdp
        listeners.onAccepted(dialog)
      })
      .catch((err: unknown) => {
        const response = finalResponseOf(err)
        if (response !== undefined && response.status >= 300) {
          listeners.onRefused(response)
          return
        }
        if (response !== undefined) this.#endUnreachable(response)
        listeners.onFailed(err)
      })
  }

  /** Sends CANCEL. The stack delays it until a provisional response arrives (RFC 3261 §9.1). */
  cancel(): void {
    this.#isCanceled = true
    if (!this.#request) return
    try {
      this.#request.cancel((err) => {
        if (err) this.#log.debug({ err }, 'CANCEL refused')
      })
    } catch (err) {
      this.#log.debug({ err }, 'could not send a CANCEL')
    }
  }

  /** Ends the dialog of a 200 without Contact by a BYE to the Request-URI, the only known address. */
  #endUnreachable({ stackDialogId }: SrfResponse): void {
    const uri = this.#request?.uri
    if (uri === undefined) return
    const bye = { method: 'BYE', headers: {}, stackDialogId }
    this.#signaling.srf.request(uri, bye, (err) => {
      if (err) this.#log.debug({ err }, 'could not send a BYE')
    })
  }

  /** Follows the request, and each retry of it with credentials. */
  #sent(request: SrfRequest, listeners: Pick<InviteListeners, 'onSent'>): void {
    this.#request = request
    request.once('authenticate', (retry: SrfRequest) => {
      this.#sent(retry, listeners)
    })
    listeners.onSent(request)
  }
}

function finalResponseOf(err: unknown): SrfResponse | undefined {
  if (!(err instanceof Error) || !('status' in err) || !('res' in err)) return undefined
  // drachtio-srf's only error with both. A 200 without Contact is reported as an error 500 that contains it.
  return (err as SipError).res
}
