import { accountsBaseline } from '../accounts/tables.js'
import type { Migration } from '../platform/database/migration.js'
import type { Generated, UrlColumn } from '../platform/database/tables.js'
import type { MessageDirection, MessageStatus } from './message-record.js'
import type { ReceiptState } from './receipt-state.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    messages: MessagesTable
    message_queue: MessageQueueTable
    message_parts: MessagePartsTable
    message_turns: MessageTurnsTable
    message_daily_counts: MessageDailyCountsTable
    message_opt_outs: MessageOptOutsTable
    simulated_messages: SimulatedMessagesTable
    smpp_fragments: SmppFragmentsTable
    smpp_parts: SmppPartsTable
  }
}

export interface MessagesTable {
  sid: string
  account_sid: string
  direction: MessageDirection
  from_number: string
  to_number: string
  body: string
  segments: number
  subject: string | null
  num_media: number
  status: MessageStatus
  error_code: number | null
  /** In 1/10,000 dollar; null until it is charged. */
  price: number | null
  cost: number
  billed_sid: string
  scope: string
  is_keyword_answer: number
  status_callback: UrlColumn<null>
  status_callback_method: 'GET' | 'POST'
  application_sid: string | null
  send_at: number | null
  expires_at: number
  sent_at: number | null
  created_at: number
  updated_at: number
}

/** The messages that wait for their time, or for their turn at the rate of their campaign. */
export interface MessageQueueTable {
  id: Generated<number>
  sid: string
  account_sid: string
  /** `from>to`: messages of one pair of numbers go out in the order in which they came. */
  pair: string
  /** The campaign or number whose STOP ends the message, and who may send that STOP. */
  scope: string
  recipient: string
  state: 'scheduled' | 'queued'
  /** The key of the rate; null for a message without a limit. */
  bucket: string | null
  /** The time that the message takes at its rate, in microseconds. */
  takes_micros: number
  /** The key of the daily cap of the destination's operator; null: none. */
  cap_key: string | null
  cap_segments: number | null
  due_at: number
}

/** The parts that a carrier has taken, by the carrier's own ids. */
export interface MessagePartsTable {
  carrier: string
  carrier_id: string
  sid: string
  part: number
  state: ReceiptState
}

/** The time at which the next message of a rate may go, epoch microseconds. */
export interface MessageTurnsTable {
  bucket: string
  next_at_micros: number
}

/** The segments of a day that count for a cap of an operator. */
export interface MessageDailyCountsTable {
  cap_key: string
  /** The day in Los Angeles: `2026-11-22`. */
  day: string
  segments: number
}

/** Recipients who have sent STOP to a campaign. */
export interface MessageOptOutsTable {
  scope: string
  recipient: string
  opted_out_at: number
}

/** The messages that the simulated carrier has taken, until their receipts are sent. */
export interface SimulatedMessagesTable {
  sid: string
  carrier_id: string
  from_number: string
  to_number: string
  body: string
  /** The files of its media, as JSON. */
  media: string
  subject: string | null
  attempts: number
  taken: number
  /** The time at which it is delivered, or not; null when nothing follows. */
  due_at: number | null
  created_at: number
}

/** The parts that an SMSC has taken of a message that was not taken whole at once. */
export interface SmppPartsTable {
  sid: string
  part: number
  carrier_id: string
  created_at: number
}

/** The parts that have come of a message whose other parts are awaited. */
export interface SmppFragmentsTable {
  message: string
  part: number
  body: string
  created_at: number
}

export const messagesBaseline: Migration = {
  name: 'messages/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table messages (
  sid text primary key,
  account_sid text not null references accounts (sid),
  direction text not null,
  from_number text not null,
  to_number text not null,
  body text not null,
  segments integer not null,
  subject text,
  num_media integer not null,
  status text not null,
  error_code integer,
  price bigint,
  cost bigint not null,
  billed_sid text not null,
  scope text not null,
  is_keyword_answer integer not null,
  status_callback text,
  status_callback_method text not null,
  application_sid text,
  send_at bigint,
  expires_at bigint not null,
  sent_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index messages_by_account on messages (account_sid, created_at desc, sid desc);
create index messages_by_to on messages (account_sid, to_number, created_at desc, sid desc);
create index messages_by_from on messages (account_sid, from_number, created_at desc, sid desc);
create index messages_by_pair on messages (account_sid, from_number, to_number, created_at desc, sid desc);
create table message_daily_counts (
  cap_key text not null,
  day text not null,
  segments integer not null,
  primary key (cap_key, day)
)${byKey};
`,
}

export const messageDeliveryBaseline: Migration = {
  name: 'messages/2-delivery',
  after: [messagesBaseline],
  statements: ({ serial, byKey }) => `
create table message_queue (
  id ${serial},
  sid text not null unique,
  account_sid text not null,
  pair text not null,
  scope text not null,
  recipient text not null,
  state text not null,
  bucket text,
  takes_micros bigint not null,
  cap_key text,
  cap_segments integer,
  due_at bigint not null
);
create index message_queue_by_time on message_queue (state, due_at, id);
create index message_queue_by_pair on message_queue (pair, due_at);
create index message_queue_by_recipient on message_queue (recipient, scope, id);
create table message_parts (
  carrier text not null,
  carrier_id text not null,
  sid text not null references messages (sid) on delete cascade,
  part integer not null,
  state text not null,
  primary key (carrier, carrier_id)
)${byKey};
create index message_parts_by_message on message_parts (sid, part);
create table message_early_receipts (
  carrier text not null,
  carrier_id text not null,
  state text not null,
  received_at bigint not null,
  primary key (carrier, carrier_id)
)${byKey};
create index message_early_receipts_by_time on message_early_receipts (received_at);
create table message_turns (
  bucket text primary key,
  next_at_micros bigint not null
)${byKey};
create table message_opt_outs (
  scope text not null,
  recipient text not null,
  opted_out_at bigint not null,
  primary key (scope, recipient)
)${byKey};
create table simulated_messages (
  sid text primary key,
  carrier_id text not null,
  from_number text not null,
  to_number text not null,
  body text not null,
  media text not null,
  attempts integer not null,
  taken integer not null,
  due_at bigint,
  created_at bigint not null
)${byKey};
create index simulated_messages_by_time on simulated_messages (due_at);
create index simulated_messages_by_age on simulated_messages (created_at);
`,
}

export const messageSmppBaseline: Migration = {
  name: 'messages/3-smpp',
  after: [messagesBaseline],
  statements: ({ byKey }) => `
create table smpp_parts (
  sid text not null,
  part integer not null,
  carrier_id text not null,
  created_at bigint not null,
  primary key (sid, part)
)${byKey};
create index smpp_parts_by_age on smpp_parts (created_at);
create table smpp_fragments (
  message text not null,
  part integer not null,
  body text not null,
  created_at bigint not null,
  primary key (message, part)
)${byKey};
create index smpp_fragments_by_age on smpp_fragments (created_at);
`,
}

export const simulatedSubjects: Migration = {
  name: 'messages/8-simulated-subjects',
  after: [messageDeliveryBaseline],
  statements: () => `
alter table simulated_messages add column subject text;
`,
}
