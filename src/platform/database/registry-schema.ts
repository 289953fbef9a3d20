/** The registry's tables; see the migration for what its columns and its JSON records are. */
import type { Generated } from 'kysely'

export interface RegistryCspsTable {
  csp_id: string
  account_sid: string
  record: string
  created_at: number
}

export interface RegistryBrandsTable {
  id: Generated<number>
  brand_id: string
  csp_id: string
  status: string
  identity_status: string
  entity_type: string
  display_key: string
  state: string | null
  country: string
  ein: string | null
  universal_ein: string | null
  mobile_phone: string | null
  reference_key: string | null
  is_mock: number
  is_auth_plus: number
  record: string
  created_at: number
}

export interface RegistryBrandCountsTable {
  csp_id: string
  status: string
  brands: number
}

export interface RegistryCampaignsTable {
  id: Generated<number>
  campaign_id: string
  csp_id: string
  brand_id: string
  status: string
  usecase: string
  reseller_id: string
  reference_key: string | null
  is_mock: number
  last_event: string | null
  record: string
  created_at: number
}

export interface RegistrySharesTable {
  id: Generated<number>
  campaign_id: string
  downstream_cnp: string
  upstream_cnp: string
  status: string
  is_migration: number
  is_current: number
  record: string
}

export interface RegistryVettingsTable {
  vetting_id: string
  brand_id: string
  status: string
  record: string
  created_at: number
}

export interface RegistryAppealsTable {
  appeal_id: string
  brand_id: string
  vetting_id: string | null
  status: string
  record: string
  created_at: number
}

export interface RegistryOtpsTable {
  reference_id: string
  brand_id: string
  csp_id: string
  record: string
  created_at: number
}

export interface RegistryConfirmationsTable {
  token_hash: string
  brand_id: string
}

export interface RegistryAttachmentsTable {
  uuid: string
  csp_id: string
  owner_id: string
  kind: string
  file_name: string
  mime_type: string
  bytes: number
  created_at: number
}

export interface RegistryResellersTable {
  id: Generated<number>
  reseller_id: string
  csp_id: string
  company_key: string
  record: string
  created_at: number
}

export interface RegistryTagsTable {
  id: Generated<number>
  csp_id: string
  record_type: string
  record_id: string
  name: string
}

export interface RegistryNumbersTable {
  id: Generated<number>
  campaign_id: string
  phone_number: string
  nnid: string
  provisioned_at: number
  is_current: number
}

export interface RegistryMigrationsTable {
  campaign_id: string
  status: string
  record: string
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
  at: number
}

export interface RegistrySubscriptionsTable {
  csp_id: string
  category: string
  endpoint: string
  secret_sealed: string
  created_at: number
}

export interface RegistryDeliveriesTable {
  id: Generated<number>
  stream: string
  csp_id: string
  category: string
  event_id: string
  state: 'pending' | 'delivered' | 'dead' | 'dropped'
  attempts: number
  next_attempt_at: number
  created_at: number
}

export interface RegistryAttemptsTable {
  id: Generated<number>
  delivery_id: number
  attempt: number
  at: number
  endpoint: string
  status: number | null
  error: string | null
  duration_ms: number
}

export interface RegistryMessagesTable {
  id: Generated<number>
  kind: string
  recipient: string
  subject: string
  body_sealed: string
  reference: string
  status: string
  created_at: number
}

export interface RegistryJobsTable {
  id: Generated<number>
  kind: string
  subject: string
  due_at: number
  attempts: number
}

export interface RegistryChargesTable {
  id: Generated<number>
  csp_id: string
  kind: string
  subject: string
  amount: number
  at: number
}

export interface RegistryIdempotencyTable {
  csp_id: string
  idempotency_key: string
  request_hash: string
  status: number | null
  response: string | null
  created_at: number
}

export interface RegistryClockTable {
  id: number
  turned_by_ms: number
}

export interface RegistryAssetsTable {
  asset_id: string
  brand_id: string
  name_key: string
  record: string
  created_at: number
}

/** Written by triggers. */
export interface RegistryBrandBlocksTable {
  csp_id: string
  status: string
  /** `id / 1024` of the brands that it counts. */
  block: number
  brands: number
}

/** Written by triggers; `rowid` is the brand's id, its text can only be matched. */
export interface RegistryBrandNamesTable {
  rowid: number
}

export interface RegistrySchema {
  registry_clock: RegistryClockTable
  registry_assets: RegistryAssetsTable
  registry_brand_blocks: RegistryBrandBlocksTable
  registry_brand_names: RegistryBrandNamesTable
  registry_csps: RegistryCspsTable
  registry_brands: RegistryBrandsTable
  registry_brand_counts: RegistryBrandCountsTable
  registry_campaigns: RegistryCampaignsTable
  registry_shares: RegistrySharesTable
  registry_vettings: RegistryVettingsTable
  registry_appeals: RegistryAppealsTable
  registry_otps: RegistryOtpsTable
  registry_confirmations: RegistryConfirmationsTable
  registry_attachments: RegistryAttachmentsTable
  registry_resellers: RegistryResellersTable
  registry_tags: RegistryTagsTable
  registry_numbers: RegistryNumbersTable
  registry_migrations: RegistryMigrationsTable
  registry_events: RegistryEventsTable
  registry_subscriptions: RegistrySubscriptionsTable
  registry_deliveries: RegistryDeliveriesTable
  registry_attempts: RegistryAttemptsTable
  registry_messages: RegistryMessagesTable
  registry_jobs: RegistryJobsTable
  registry_charges: RegistryChargesTable
  registry_idempotency: RegistryIdempotencyTable
}
