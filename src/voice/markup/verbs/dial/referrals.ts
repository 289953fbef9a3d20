/**
 * REFERs (RFC 3515) of two bridged legs. After a blind transfer, the remaining party runs the document at
 * referUrl. An attended transfer, whose Replaces names another bridged dialog of the account (RFC 3891),
 * connects the remaining parties of both bridges.
 */
import { dialogNameOf } from '../../../telephony/dialog-facts.js'
import type { IncomingReferral, Leg } from '../../../telephony/port.js'
import type { DocumentRequest } from '../../document.js'
import type { MarkupHost } from '../../host.js'
import type { DialVerb } from '../../parse/dial.js'
import { Transfer } from '../../transfer.js'
import { resolveCallback } from '../resolve-url.js'
import type { VerbContext } from '../verb-run.js'
import type { ReadyParty } from './dial-party.js'

type Side = 'caller' | 'party'

/** How the bridge of caller and called party ended. */
export type Separation =
  | { readonly type: 'parted' }
  /** The called party sent the REFER; the caller continues with this document. */
  | { readonly type: 'referred-by-party'; readonly request: DocumentRequest }
  /** The caller sent the REFER; the called party continues without it. */
  | { readonly type: 'referred-by-caller' }
  /** This side has left for an attended transfer, which the other one joins. */
  | { readonly type: 'left'; readonly who: Side; readonly transfer: Transfer }

export interface Referrals {
  readonly separation: Separation
  /** Unsubscribes, and sends the final NOTIFY to the sender of a REFER, which may then hang up. */
  end(): void
}

/** A bridge in progress; `part` ends it and aborts the signal. */
export interface BridgeControl {
  readonly signal: AbortSignal
  part(): void
}

/** Handles the REFERs of two bridged legs, and allows the dialogs of both to be replaced. */
export function followReferrals(
  party: Pick<ReadyParty, 'leg' | 'takeAway' | 'release'>,
  verb: DialVerb,
  { host, documentUrl }: VerbContext,
  bridge: BridgeControl,
): Referrals {
  const callback = resolveCallback(verb.refer, documentUrl, 'Dial', host)
  let separation: Separation = { type: 'parted' }
  let taken: IncomingReferral | undefined
  const separate = (how: Separation): boolean => {
    if (bridge.signal.aborted || separation.type !== 'parted') return false
    separation = how
    // Must happen at once: the end of the caller's call, which may precede the bridge's end, would hang up
    // the party.
    if (how.type === 'left' && how.who === 'caller') party.release()
    bridge.part()
    return true
  }
  const take =
    (who: Side, goOn: (request: DocumentRequest) => void) =>
    (referral: IncomingReferral): void => {
      const transfer = taken === undefined ? transferTo(referral, bridge, host) : undefined
      const request = transfer === undefined ? documentAfter(referral, callback, host) : undefined
      if (taken !== undefined || (transfer ?? request) === undefined) {
        referral.refuse()
        return
      }
      taken = referral
      referral.accept()
      if (transfer !== undefined) separate({ type: 'left', who, transfer })
      else if (request !== undefined) goOn(request)
    }
  const replaceable = (leg: Leg, who: Side) =>
    addDialog(leg, host, {
      bridge,
      leave: (transfer) => separate({ type: 'left', who, transfer }),
    })
  const ends = [
    replaceable(host.leg, 'caller'),
    replaceable(party.leg, 'party'),
    party.leg.onReferral(
      take('party', (request) => {
        separate({ type: 'referred-by-party', request })
      }),
    ),
    host.leg.onReferral(
      take('caller', (request) => {
        separation = { type: 'referred-by-caller' }
        party.takeAway(request)
      }),
    ),
  ]
  return {
    get separation() {
      return separation
    },
    end: () => {
      for (const end of ends) end()
      taken?.notifySuccess()
    },
  }
}

/** Returns the document after a blind transfer; undefined when the Dial has no referUrl. */
function documentAfter(
  { target }: IncomingReferral,
  callback: ReturnType<typeof resolveCallback>,
  host: MarkupHost,
): DocumentRequest | undefined {
  if (callback !== undefined) return { ...callback, params: { ReferTransferTarget: target } }
  host.log({ type: 'error', code: 13802, message: 'Dial: no referUrl for a REFER' })
  return undefined
}

/** Removes the peer of the dialog to replace from its bridge; undefined when there is no such dialog. */
function transferTo(
  { replaces }: IncomingReferral,
  bridge: BridgeControl,
  host: MarkupHost,
): Transfer | undefined {
  const replaced = replaces && host.bridgedDialogs.find(replaces)
  if (replaced === undefined || replaced.bridge === bridge || bridge.signal.aborted)
    return undefined
  const transfer = new Transfer(() => {
    host.log({ type: 'error', code: 12400, message: 'the transferred parties were not connected' })
  })
  return replaced.leave(transfer) ? transfer : undefined
}

function addDialog(
  leg: Leg,
  { bridgedDialogs }: MarkupHost,
  dialog: Parameters<MarkupHost['bridgedDialogs']['add']>[1],
): () => void {
  const name = leg.dialogFacts && dialogNameOf(leg.dialogFacts)
  return name === undefined ? () => undefined : bridgedDialogs.add(name, dialog)
}
