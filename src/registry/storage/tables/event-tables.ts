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
  event_id: string
  csp_id: string
  category: string
  type: string
  brand_id: string | null
  campaign_id: string | null
  body: string
  /** The state of the event's delivery; null when there was no subscription. */
  delivery_state: 'pending' | 'delivered' | 'dead' | 'dropped' | null
  at: number
}

export interface RegistrySubscriptionsTable {
  csp_id: string
  category: string
  endpoint: UrlColumn
  secret_sealed: string
  created_at: number
}

/** The attempts at delivering events, one row each. */
export interface RegistryAttemptsTable {
  id: Generated<number>
  event_id: string
  attempt: number
  at: number
  /** Its password is masked. */
  endpoint: string
  status: number | null
  error: string | null
  duration_ms: number
}

export const registryEventsBaseline: Migration = {
  name: 'registry-events/1-baseline',
  statements: ({ serial }) => `
create table registry_events (
  id ${serial},
  event_id text not null unique,
  csp_id text not null,
  category text not null,
  type text not null,
  brand_id text,
  campaign_id text,
  body text not null,
  delivery_state text,
  at bigint not null
);
create index registry_events_by_csp on registry_events (csp_id, id);
create index registry_events_by_campaign on registry_events (campaign_id, id);
create index registry_events_by_brand on registry_events (brand_id, id);
create table registry_subscriptions (
  csp_id text not null,
  category text not null,
  endpoint text not null,
  secret_sealed text not null,
  created_at bigint not null,
  primary key (csp_id, category)
);
create table registry_attempts (
  id ${serial},
  event_id text not null,
  attempt integer not null,
  at bigint not null,
  endpoint text not null,
  status integer,
  error text,
  duration_ms bigint not null
);
create index registry_attempts_by_event on registry_attempts (event_id, id);
`,
}

/** The operator lists the changes that the registry above has refused, among all other events. */
export const registryEventsRefused: Migration = {
  name: 'registry-events/2-refused',
  after: [registryEventsBaseline],
  statements: () => `
create index registry_events_refused on registry_events (id) where type = 'UPSTREAM_CHANGE_REFUSED';
`,
}
