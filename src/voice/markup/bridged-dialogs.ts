/**
 * The dialogs that Dials have bridged, by their identifiers: a REFER with Replaces names one of them (RFC
 * 3891).
 */
import type { DialogName } from '../telephony/dialog-facts.js'
import type { Transfer } from './transfer.js'

/** A bridged dialog whose peer can leave for an attended transfer. */
export interface BridgedDialog {
  /** An object that both dialogs of one bridge share. */
  readonly bridge: object
  /**
   * Removes the dialog's peer from its bridge; the other party joins the transfer. Returns false when the
   * bridge has already ended.
   */
  leave(transfer: Transfer): boolean
}

/** The bridged dialogs of one account. */
export interface AccountDialogs {
  /** Adds a dialog; the returned function removes it. */
  add(name: DialogName, dialog: BridgedDialog): () => void
  find(name: DialogName): BridgedDialog | undefined
}

export class BridgedDialogs {
  readonly #dialogs = new Map<string, BridgedDialog>()

  /** Returns the dialogs of one account: a softphone can only refer to those. */
  of(accountSid: string): AccountDialogs {
    const keyOf = ({ callId, localTag, remoteTag }: DialogName) =>
      `${accountSid} ${localTag} ${remoteTag} ${callId}`
    return {
      add: (name, dialog) => {
        this.#dialogs.set(keyOf(name), dialog)
        return () => this.#dialogs.delete(keyOf(name))
      },
      find: (name) => this.#dialogs.get(keyOf(name)),
    }
  }
}
