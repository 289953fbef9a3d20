import type { Migration } from '../../../platform/database/migration.js'
import type { Generated, UrlColumn } from '../../../platform/database/tables.js'

declare module '../../../platform/database/tables.js' {
  interface Tables {
    registry_events: RegistryEventsTable
    registry_subscriptions: RegistrySubscriptionsTable
    registry_attempts: RegistryAttemptsTable
  }
}

export interface RegistryEventsTable {
  id: Generated<number>
  eventId: string
  cspId: string
  category: string
  type: string
  brandId: string | null
  campaignId: string | null
  body: string
  /** The state of the event's delivery; null when there was no subscription. */
  deliveryState: 'pending' | 'delivered' | 'dead' | 'dropped' | null
  at: number
}

export interface RegistrySubscriptionsTable {
  cspId: string
  category: string
  endpoint: UrlColumn
  secretSealed: string
  createdAt: number
}

/** Delivery attempts of events, one row each. */
export interface RegistryAttemptsTable {
  id: Generated<number>
  eventId: string
  attempt: number
  at: number
  /** Its password is masked. */
  endpoint: string
  status: number | null
  error: string | null
  durationMs: number
}

export const registryEventsBaseline: Migration = {
  name: 'registry-events/1-baseline',
  statements: ({ serial }) => `
create table registry_events (
  id ${serial},
  "eventId" text not null unique,
  "cspId" text not null,
  category text not null,
  type text not null,
  "brandId" text,
  "campaignId" text,
  body text not null,
  "deliveryState" text,
  at bigint not null
);
create index registry_events_by_csp on registry_events ("cspId", id);
create index registry_events_by_campaign on registry_events ("campaignId", id);
create index registry_events_by_brand on registry_events ("brandId", id);
create table registry_subscriptions (
  "cspId" text not null,
  category text not null,
  endpoint text not null,
  "secretSealed" text not null,
  "createdAt" bigint not null,
  primary key ("cspId", category)
);
create table registry_attempts (
  id ${serial},
  "eventId" text not null,
  attempt integer not null,
  at bigint not null,
  endpoint text not null,
  status integer,
  error text,
  "durationMs" bigint not null
);
create index registry_attempts_by_event on registry_attempts ("eventId", id);
`,
}

/** Adds the index with which the operator lists upstream refusals among all events. */
export const registryEventsRefused: Migration = {
  name: 'registry-events/2-refused',
  after: [registryEventsBaseline],
  statements: () => `
create index registry_events_refused on registry_events (id) where type = 'UPSTREAM_CHANGE_REFUSED';
`,
}
