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
  accountSid: string
  direction: MessageDirection
  fromNumber: string
  toNumber: string
  body: string
  segments: number
  subject: string | null
  numMedia: number
  status: MessageStatus
  errorCode: number | null
  /** In 1/10,000 dollar; null until it is charged. */
  price: number | null
  cost: number
  billedSid: string
  scope: string
  isKeywordAnswer: number
  statusCallback: UrlColumn<null>
  statusCallbackMethod: 'GET' | 'POST'
  applicationSid: string | null
  sendAt: number | null
  expiresAt: number
  sentAt: number | null
  createdAt: number
  updatedAt: number
}

/** Messages that wait for their scheduled time, or for their slot at the campaign's rate. */
export interface MessageQueueTable {
  id: Generated<number>
  sid: string
  accountSid: string
  /** `from>to`: messages of one pair of numbers are sent in order of arrival. */
  pair: string
  /** Campaign or number whose opt-outs apply. */
  scope: string
  recipient: string
  state: 'scheduled' | 'queued'
  /** Key of the rate; null: no limit. */
  bucket: string | null
  /** Time that the message takes at its rate, microseconds. */
  takesMicros: number
  /** Key of the daily cap at the destination's operator; null: none. */
  capKey: string | null
  capSegments: number | null
  dueAt: number
}

/** Parts accepted by a carrier, by its own ids. */
export interface MessagePartsTable {
  carrier: string
  carrierId: string
  sid: string
  part: number
  state: ReceiptState
}

/** Time of a rate's next free slot, epoch microseconds. */
export interface MessageTurnsTable {
  bucket: string
  nextAtMicros: number
}

/** Segments of a day that count towards an operator's cap. */
export interface MessageDailyCountsTable {
  capKey: string
  /** The day in Los Angeles: `2026-11-22`. */
  day: string
  segments: number
}

/** Recipients who have sent STOP to a campaign. */
export interface MessageOptOutsTable {
  scope: string
  recipient: string
  optedOutAt: number
}

/** Messages accepted by the simulated carrier, until their receipts are sent. */
export interface SimulatedMessagesTable {
  sid: string
  carrierId: string
  fromNumber: string
  toNumber: string
  body: string
  /** The files of its media, as JSON. */
  media: string
  subject: string | null
  attempts: number
  taken: number
  /** Time of the receipt; null when none follows. */
  dueAt: number | null
  createdAt: number
}

/** Accepted parts of a message that an SMSC has not accepted whole. */
export interface SmppPartsTable {
  sid: string
  part: number
  carrierId: string
  createdAt: number
}

/** Received parts of a message that is incomplete. */
export interface SmppFragmentsTable {
  message: string
  part: number
  body: string
  createdAt: number
}

export const messagesBaseline: Migration = {
  name: 'messages/1-baseline',
  after: [accountsBaseline],
  statements: ({ byKey }) => `
create table messages (
  sid text primary key,
  "accountSid" text not null references accounts (sid),
  direction text not null,
  "fromNumber" text not null,
  "toNumber" text not null,
  body text not null,
  segments integer not null,
  subject text,
  "numMedia" integer not null,
  status text not null,
  "errorCode" integer,
  price bigint,
  cost bigint not null,
  "billedSid" text not null,
  scope text not null,
  "isKeywordAnswer" integer not null,
  "statusCallback" text,
  "statusCallbackMethod" text not null,
  "applicationSid" text,
  "sendAt" bigint,
  "expiresAt" bigint not null,
  "sentAt" bigint,
  "createdAt" bigint not null,
  "updatedAt" bigint not null
);
create index messages_by_account on messages ("accountSid", "createdAt" desc, sid desc);
create index messages_by_to on messages ("accountSid", "toNumber", "createdAt" desc, sid desc);
create index messages_by_from on messages ("accountSid", "fromNumber", "createdAt" desc, sid desc);
create index messages_by_pair on messages ("accountSid", "fromNumber", "toNumber", "createdAt" desc, sid desc);
create table message_daily_counts (
  "capKey" text not null,
  day text not null,
  segments integer not null,
  primary key ("capKey", day)
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
  "accountSid" text not null,
  pair text not null,
  scope text not null,
  recipient text not null,
  state text not null,
  bucket text,
  "takesMicros" bigint not null,
  "capKey" text,
  "capSegments" integer,
  "dueAt" bigint not null
);
create index message_queue_by_time on message_queue (state, "dueAt", id);
create index message_queue_by_pair on message_queue (pair, "dueAt");
create index message_queue_by_recipient on message_queue (recipient, scope, id);
create table message_parts (
  carrier text not null,
  "carrierId" text not null,
  sid text not null references messages (sid) on delete cascade,
  part integer not null,
  state text not null,
  primary key (carrier, "carrierId")
)${byKey};
create index message_parts_by_message on message_parts (sid, part);
create table message_early_receipts (
  carrier text not null,
  "carrierId" text not null,
  state text not null,
  "receivedAt" bigint not null,
  primary key (carrier, "carrierId")
)${byKey};
create index message_early_receipts_by_time on message_early_receipts ("receivedAt");
create table message_turns (
  bucket text primary key,
  "nextAtMicros" bigint not null
)${byKey};
create table message_opt_outs (
  scope text not null,
  recipient text not null,
  "optedOutAt" bigint not null,
  primary key (scope, recipient)
)${byKey};
create table simulated_messages (
  sid text primary key,
  "carrierId" text not null,
  "fromNumber" text not null,
  "toNumber" text not null,
  body text not null,
  media text not null,
  attempts integer not null,
  taken integer not null,
  "dueAt" bigint,
  "createdAt" bigint not null
)${byKey};
create index simulated_messages_by_time on simulated_messages ("dueAt");
create index simulated_messages_by_age on simulated_messages ("createdAt");
`,
}

export const messageSmppBaseline: Migration = {
  name: 'messages/3-smpp',
  after: [messagesBaseline],
  statements: ({ byKey }) => `
create table smpp_parts (
  sid text not null,
  part integer not null,
  "carrierId" text not null,
  "createdAt" bigint not null,
  primary key (sid, part)
)${byKey};
create index smpp_parts_by_age on smpp_parts ("createdAt");
create table smpp_fragments (
  message text not null,
  part integer not null,
  body text not null,
  "createdAt" bigint not null,
  primary key (message, part)
)${byKey};
create index smpp_fragments_by_age on smpp_fragments ("createdAt");
`,
}

export const simulatedSubjects: Migration = {
  name: 'messages/8-simulated-subjects',
  after: [messageDeliveryBaseline],
  statements: () => `
alter table simulated_messages add column subject text;
`,
}
