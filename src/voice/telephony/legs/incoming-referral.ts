/** Answers the peer's REFER, and sends the NOTIFYs of the implicit subscription (RFC 3515). */
import type { Dialog, SrfRequest, SrfResponse } from 'drachtio-srf'
import type { Logger } from '../../../platform/log.js'
import type { IncomingReferral, SipStep } from '../port.js'
import { readReferTo } from './refer-to.js'
import { responseStep, sipStep } from './sip-step.js'

const DECLINE = 603
const BAD_REQUEST = 400
const ACCEPTED = 202
/** The subscription's length, longer than the new call may take to be answered. */
const SUBSCRIPTION_SECONDS = 60
const PHRASES: Readonly<Record<number, string>> = { 100: 'Trying', 200: 'OK' }

export interface ReferralDeps {
  readonly dialog: Dialog
  /** The application's listener; undefined when there is none, and the REFER is then declined. */
  readonly listener: ((reference: IncomingReferral) => void) | undefined
  readonly onSip: (step: SipStep) => void
  readonly log: Logger
}

/** Answers the REFER at once, or hands it to the listener. */
export function takeReferral(req: SrfRequest, res: SrfResponse, deps: ReferralDeps): void {
  const { listener } = deps
  const answer = (status: number, reason: string) => {
    res.send(status, reason)
    deps.onSip(responseStep('sent', { status, reason }))
  }
  const referTo = readReferTo(req.get('Refer-To'))
  if (referTo === undefined) answer(BAD_REQUEST, 'Bad Request')
  else if (!listener)
    answer(DECLINE, 'Decline') // RFC 3515 §2.4.2
  else {
    const tell = notifier(req, deps)
    listener({
      ...referTo,
      refuse: () => {
        answer(DECLINE, 'Decline')
      },
      accept: () => {
        answer(ACCEPTED, 'Accepted')
        // The first NOTIFY is sent at once (RFC 3515 §2.4.4).
        tell(100, `active;expires=${String(SUBSCRIPTION_SECONDS)}`)
      },
      notifySuccess: () => {
        tell(200, 'terminated;reason=noresource')
      },
    })
  }
}

function notifier(
  req: SrfRequest,
  { dialog, onSip, log }: ReferralDeps,
): (status: number, state: string) => void {
  // RFC 3515 §2.4.6
  const id = Number.parseInt(req.get('CSeq') ?? '', 10)
  return (status, state) => {
    if (!dialog.connected) return
    const line = `${String(status)} ${PHRASES[status] ?? ''}`
    const headers = {
      Event: `refer;id=${String(id)}`,
      'Subscription-State': state,
      'Content-Type': 'message/sipfrag;version=2.0',
    }
    onSip(sipStep('sent', `NOTIFY ${line}`))
    dialog.request({ method: 'NOTIFY', headers, body: `SIP/2.0 ${line}\r\n` }, (err) => {
      // The call goes on even when the NOTIFY is lost.
      if (err) log.debug({ err }, 'NOTIFY not sent')
    })
  }
}
