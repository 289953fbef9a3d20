import { addressLimitsBaseline } from '../account-api/tables.js'
import { accountAclBaseline } from '../accounts/acl-tables.js'
import { accountKeysBaseline } from '../accounts/key-tables.js'
import { accountLinksBaseline } from '../accounts/link-tables.js'
import { accountsBaseline } from '../accounts/tables.js'
import { emergencyBaseline, emergencyProvisions } from '../emergency/tables.js'
import { billingBaseline, ledgerBaseline } from '../ledger/tables.js'
import { lookupsBaseline } from '../lookups/tables.js'
import { earlyReceiptRecipients } from '../messages/early-receipt-tables.js'
import { messageMediaBaseline } from '../messages/media-tables.js'
import { numberOptOuts } from '../messages/number-opt-out-tables.js'
import { messageNumbersBaseline } from '../messages/number-tables.js'
import { ownOptOuts } from '../messages/opt-out-migration.js'
import {
  messageDeliveryBaseline,
  messageSmppBaseline,
  messagesBaseline,
  simulatedSubjects,
} from '../messages/tables.js'
import { phoneNumberBlocksBaseline } from '../numbers/block-tables.js'
import { gatewayForwardedCallers, gatewaysBaseline } from '../numbers/gateway-tables.js'
import { numberOrdersBaseline } from '../numbers/order-tables.js'
import { numberSettingsBaseline } from '../numbers/settings-tables.js'
import { phoneNumberInventoryBaseline, phoneNumbersBaseline } from '../numbers/tables.js'
import { csvImportsBaseline } from '../platform/csv-imports/tables.js'
import { columnsNamedAsFields, type Migration } from '../platform/database/migration.js'
import { fileTransfersBaseline } from '../platform/files/transfers/tables.js'
import { idempotencyBaseline } from '../platform/idempotency/tables.js'
import { nodesBaseline } from '../platform/nodes/tables.js'
import { outboxBaseline } from '../platform/outbox/tables.js'
import { turnedClocksBaseline } from '../platform/turned-clock/tables.js'
import { vaultKeysBaseline } from '../platform/vault-key/tables.js'
import { portingBaseline, portRecordsBaseline } from '../porting/tables.js'
import { ratingAudio, ratingBaseline } from '../rating/tables.js'
import { registryBrandChecksBaseline } from '../registry/storage/tables/brand-check-tables.js'
import { registryBrandsBaseline } from '../registry/storage/tables/brand-tables.js'
import { registryCampaignsBaseline } from '../registry/storage/tables/campaign-tables.js'
import { registryCspsBaseline } from '../registry/storage/tables/csp-tables.js'
import {
  registryEventsBaseline,
  registryEventsRefused,
} from '../registry/storage/tables/event-tables.js'
import {
  registryFilesBaseline,
  registryFilesUpstream,
  registryFilesUpstreamRefused,
} from '../registry/storage/tables/file-tables.js'
import { registryJobStreams, registryJobsBaseline } from '../registry/storage/tables/job-tables.js'
import { registryMessagingBaseline } from '../registry/storage/tables/messaging-tables.js'
import { applicationsBaseline } from '../voice/applications/tables.js'
import { callerIdAttempts, callerIdsBaseline } from '../voice/caller-ids/tables.js'
import { callLifeBaseline } from '../voice/calls/tables.js'
import { carriersBaseline } from '../voice/carriers/tables.js'
import { conferencesBaseline } from '../voice/conferences/tables.js'
import { callEventsBaseline } from '../voice/events/tables.js'
import { exportsBaseline } from '../voice/exports/tables.js'
import { callsBaseline, callsEndedLate } from '../voice/model/tables.js'
import { queuesBaseline } from '../voice/queues/tables.js'
import { recordingArchiveBaseline } from '../voice/recordings/archive/tables.js'
import { recordingsBaseline } from '../voice/recordings/tables.js'
import {
  refusedCallsBaseline,
  refusedCallsByTime,
  refusedRegistrations,
} from '../voice/refused-calls/tables.js'
import { registrarBaseline } from '../voice/registrar/tables.js'
import {
  sipDomainCallers,
  sipDomainCodecs,
  sipDomainsBaseline,
  sipDomainTrunks,
} from '../voice/sip-domains/tables.js'
import { streamStarts, streamsBaseline } from '../voice/streams/tables.js'
import { drainedServersBaseline } from '../voice/telephony/tables.js'
import { transcriptionsBaseline } from '../voice/transcriptions/tables.js'

/** All migrations of all features, in order of execution. */
export const MIGRATIONS: readonly Migration[] = [
  columnsNamedAsFields,
  accountsBaseline,
  accountKeysBaseline,
  ledgerBaseline,
  billingBaseline,
  ratingBaseline,
  accountAclBaseline,
  accountLinksBaseline,
  addressLimitsBaseline,
  phoneNumbersBaseline,
  phoneNumberInventoryBaseline,
  numberSettingsBaseline,
  phoneNumberBlocksBaseline,
  numberOrdersBaseline,
  gatewaysBaseline,
  emergencyBaseline,
  lookupsBaseline,
  portingBaseline,
  portRecordsBaseline,
  applicationsBaseline,
  csvImportsBaseline,
  outboxBaseline,
  nodesBaseline,
  vaultKeysBaseline,
  idempotencyBaseline,
  fileTransfersBaseline,
  turnedClocksBaseline,
  carriersBaseline,
  drainedServersBaseline,
  callsBaseline,
  callLifeBaseline,
  callerIdsBaseline,
  callerIdAttempts,
  callEventsBaseline,
  conferencesBaseline,
  queuesBaseline,
  streamsBaseline,
  streamStarts,
  recordingsBaseline,
  recordingArchiveBaseline,
  sipDomainsBaseline,
  sipDomainTrunks,
  sipDomainCallers,
  sipDomainCodecs,
  registrarBaseline,
  exportsBaseline,
  transcriptionsBaseline,
  registryCspsBaseline,
  registryBrandsBaseline,
  registryBrandChecksBaseline,
  registryCampaignsBaseline,
  registryMessagingBaseline,
  registryEventsBaseline,
  registryFilesBaseline,
  registryFilesUpstream,
  registryFilesUpstreamRefused,
  registryJobsBaseline,
  registryJobStreams,
  messagesBaseline,
  messageDeliveryBaseline,
  messageSmppBaseline,
  messageNumbersBaseline,
  messageMediaBaseline,
  ownOptOuts,
  emergencyProvisions,
  callsEndedLate,
  registryEventsRefused,
  earlyReceiptRecipients,
  simulatedSubjects,
  numberOptOuts,
  gatewayForwardedCallers,
  refusedCallsBaseline,
  refusedCallsByTime,
  ratingAudio,
  refusedRegistrations,
]
