import type { Migration } from '../platform/database/migration.js'
import type { ReceiptState } from './receipt-state.js'
import { messageDeliveryBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    message_early_receipts: MessageEarlyReceiptsTable
  }
}

/**
 * Receipts that arrived before the carrier's answer was stored, or for unknown messages: a row for each
 * possible id.
 */
export interface MessageEarlyReceiptsTable {
  carrier: string
  carrierId: string
  /** Recipient of the message; empty when the receipt does not say. */
  recipient: string
  /** The most probable spelling of the id, the same in all rows of a receipt. */
  receiptId: string
  state: ReceiptState
  receivedAt: number
}

/** Rows of an earlier version may be for any recipient. */
export const earlyReceiptRecipients: Migration = {
  name: 'messages/7-early-receipt-recipients',
  after: [messageDeliveryBaseline],
  statements: ({ byKey }) => `
create table message_early_receipts_before as select * from message_early_receipts;
drop table message_early_receipts;
create table message_early_receipts (
  carrier text not null,
  "carrierId" text not null,
  recipient text not null,
  "receiptId" text not null,
  state text not null,
  "receivedAt" bigint not null,
  primary key (carrier, "carrierId", recipient)
)${byKey};
create index message_early_receipts_by_time on message_early_receipts ("receivedAt");
create index message_early_receipts_by_receipt on message_early_receipts (carrier, "receiptId");
insert into message_early_receipts (carrier, "carrierId", recipient, "receiptId", state, "receivedAt")
select carrier, "carrierId", '', "carrierId", state, "receivedAt" from message_early_receipts_before;
drop table message_early_receipts_before;
`,
}
