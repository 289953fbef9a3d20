/**
 * The dialogs that a Dial has bridged, by their identifiers: a REFER with Replaces names one of them
 * (RFC 3891).
 */
import type { DialogName } from '../telephony/dialog-facts.js'
import type { Transfer } from './transfer.js'

/** A bridged dialog whose peer can be replaced by the other party of a transfer. */
export interface BridgedDialog {
  /** The same for both dialogs of one bridge. */
  readonly bridge: object
  /**
   * Takes the dialog's peer out of its bridge; the party that stays joins the transfer. Returns
   * false when the two have parted already.
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

  /** A softphone reaches the dialogs of its own account only. */
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
