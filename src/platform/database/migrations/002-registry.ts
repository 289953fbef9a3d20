/**
 * The 10DLC registry. Columns are what lists filter and what must be unique; the rest of a resource
 * is its `record`, JSON.
 */
export const registryTables = `
create table registry_csps (
  csp_id text primary key,
  account_sid text not null unique,
  record text not null,
  created_at integer not null
);
create table registry_brands (
  id integer primary key,
  brand_id text not null unique,
  csp_id text not null,
  status text not null,
  identity_status text not null,
  entity_type text not null,
  display_key text not null,
  state text,
  country text not null,
  ein text,
  universal_ein text,
  mobile_phone text,
  reference_key text,
  is_mock integer not null,
  is_auth_plus integer not null,
  record text not null,
  created_at integer not null
);
create unique index registry_brands_by_reference on registry_brands (csp_id, reference_key);
create index registry_brands_by_csp on registry_brands (csp_id, status, id);
create index registry_brands_by_name on registry_brands (csp_id, status, display_key, id);
create index registry_brands_by_ein on registry_brands (csp_id, ein, id);
create index registry_brands_by_universal_ein on registry_brands (csp_id, universal_ein, id);
create index registry_brands_by_phone on registry_brands (mobile_phone) where mobile_phone is not null;
create table registry_brand_counts (
  csp_id text not null,
  status text not null,
  brands integer not null,
  primary key (csp_id, status)
);
create trigger registry_brand_added after insert on registry_brands begin
  insert into registry_brand_counts (csp_id, status, brands) values (new.csp_id, new.status, 1)
  on conflict (csp_id, status) do update set brands = brands + 1;
end;
create trigger registry_brand_moved after update of status on registry_brands
when old.status <> new.status begin
  update registry_brand_counts set brands = brands - 1
  where csp_id = old.csp_id and status = old.status;
  insert into registry_brand_counts (csp_id, status, brands) values (new.csp_id, new.status, 1)
  on conflict (csp_id, status) do update set brands = brands + 1;
end;
create table registry_campaigns (
  id integer primary key,
  campaign_id text not null unique,
  csp_id text not null,
  brand_id text not null,
  status text not null,
  usecase text not null,
  reseller_id text not null,
  reference_key text,
  is_mock integer not null,
  last_event text,
  record text not null,
  created_at integer not null
);
create unique index registry_campaigns_by_reference on registry_campaigns (csp_id, reference_key);
create index registry_campaigns_by_csp on registry_campaigns (csp_id, id);
create index registry_campaigns_by_brand on registry_campaigns (brand_id, status);
create index registry_campaigns_by_reseller on registry_campaigns (csp_id, reseller_id);
create table registry_shares (
  id integer primary key,
  campaign_id text not null,
  downstream_cnp text not null,
  upstream_cnp text not null,
  status text not null,
  is_migration integer not null,
  is_current integer not null,
  record text not null
);
create index registry_shares_by_campaign on registry_shares (campaign_id, id);
create index registry_shares_by_upstream on registry_shares (upstream_cnp, is_current, id);
create index registry_shares_by_downstream on registry_shares (downstream_cnp, is_current, id);
create table registry_vettings (
  vetting_id text primary key,
  brand_id text not null,
  status text not null,
  record text not null,
  created_at integer not null
);
create index registry_vettings_by_brand on registry_vettings (brand_id, created_at);
create table registry_appeals (
  appeal_id text primary key,
  brand_id text not null,
  vetting_id text,
  status text not null,
  record text not null,
  created_at integer not null
);
create index registry_appeals_by_brand on registry_appeals (brand_id, created_at);
create table registry_otps (
  reference_id text primary key,
  brand_id text not null,
  csp_id text not null,
  record text not null,
  created_at integer not null
);
create index registry_otps_by_brand on registry_otps (brand_id, created_at);
create table registry_confirmations (
  token_hash text primary key,
  brand_id text not null
);
create table registry_attachments (
  uuid text primary key,
  csp_id text not null,
  owner_id text not null,
  kind text not null,
  file_name text not null,
  mime_type text not null,
  bytes integer not null,
  created_at integer not null
);
create index registry_attachments_by_owner on registry_attachments (owner_id, kind, created_at);
create table registry_resellers (
  id integer primary key,
  reseller_id text not null unique,
  csp_id text not null,
  company_key text not null,
  record text not null,
  created_at integer not null
);
create unique index registry_resellers_by_company on registry_resellers (csp_id, company_key);
create table registry_tags (
  id integer primary key,
  csp_id text not null,
  record_type text not null,
  record_id text not null,
  name text not null
);
create unique index registry_tags_by_record on registry_tags (csp_id, record_type, record_id, name);
create index registry_tags_by_name on registry_tags (csp_id, name);
create table registry_numbers (
  id integer primary key,
  campaign_id text not null,
  phone_number text not null,
  nnid text not null,
  provisioned_at integer not null,
  is_current integer not null
);
create index registry_numbers_by_campaign on registry_numbers (campaign_id, id);
create unique index registry_numbers_current on registry_numbers (phone_number) where is_current = 1;
create table registry_migrations (
  campaign_id text primary key,
  status text not null,
  record text not null
);
create table registry_events (
  id integer primary key,
  event_id text not null unique,
  csp_id text not null,
  category text not null,
  type text not null,
  brand_id text,
  campaign_id text,
  body text not null,
  at integer not null
);
create index registry_events_by_csp on registry_events (csp_id, id);
create index registry_events_by_campaign on registry_events (campaign_id, id);
create index registry_events_by_brand on registry_events (brand_id, id);
create table registry_subscriptions (
  csp_id text not null,
  category text not null,
  endpoint text not null,
  secret_sealed text not null,
  created_at integer not null,
  primary key (csp_id, category)
);
create table registry_deliveries (
  id integer primary key,
  stream text not null,
  csp_id text not null,
  category text not null,
  event_id text not null,
  state text not null,
  attempts integer not null,
  next_attempt_at integer not null,
  created_at integer not null
);
create index registry_deliveries_pending on registry_deliveries (stream, id) where state = 'pending';
create index registry_deliveries_by_event on registry_deliveries (event_id);
create table registry_attempts (
  id integer primary key,
  delivery_id integer not null,
  attempt integer not null,
  at integer not null,
  endpoint text not null,
  status integer,
  error text,
  duration_ms integer not null
);
create index registry_attempts_by_delivery on registry_attempts (delivery_id, id);
create table registry_messages (
  id integer primary key,
  kind text not null,
  recipient text not null,
  subject text not null,
  body_sealed text not null,
  reference text not null,
  status text not null,
  created_at integer not null
);
create index registry_messages_by_recipient on registry_messages (recipient, id);
create table registry_jobs (
  id integer primary key,
  kind text not null,
  subject text not null,
  due_at integer not null,
  attempts integer not null
);
create index registry_jobs_due on registry_jobs (due_at, id);
create index registry_jobs_by_subject on registry_jobs (subject, kind);
create table registry_charges (
  id integer primary key,
  csp_id text not null,
  kind text not null,
  subject text not null,
  amount integer not null,
  at integer not null
);
create index registry_charges_by_csp on registry_charges (csp_id, id);
create table registry_idempotency (
  csp_id text not null,
  idempotency_key text not null,
  request_hash text not null,
  status integer,
  response text,
  created_at integer not null,
  primary key (csp_id, idempotency_key)
);
`
