/**
 * The applications of accounts: stored webhooks that numbers, calls and documents refer to by sid.
 */
import type { Clock } from '../../platform/clock.js'
import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Database, Reader } from '../../platform/database/database.js'
import { columnsOf, fieldsOf } from '../../platform/database/fields.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import { newSid, parseSid } from '../../platform/ids.js'
import type { StatusEvent } from '../model/call-record.js'
import { ApplicationNotFoundError } from './application-errors.js'
import type { ApplicationsTable } from './tables.js'
import {
  changedSettings,
  checkFallbacks,
  NO_WEBHOOKS,
  type SettingsChange,
  type WebhookSettings,
  webhookColumns,
} from './webhook-settings.js'

export interface ApplicationSettings extends WebhookSettings {
  readonly friendlyName: string
  /** Subscribed status events; empty for the default. */
  readonly statusCallbackEvents: readonly StatusEvent[]
  /** The URL for delivery receipts of messages. */
  readonly messageStatusCallback: string | undefined
}

export interface Application extends ApplicationSettings {
  readonly sid: string
  readonly accountSid: string
  readonly createdAt: number
  readonly updatedAt: number
}

export type ApplicationChange = SettingsChange<ApplicationSettings>

export interface Applications {
  /** Creates an application. Rejects with FallbackWithoutUrlError, as `update` does. */
  create(accountSid: string, settings: ApplicationChange): Promise<Application>
  /** Resolves with the application. Rejects with ApplicationNotFoundError, as the others do. */
  fetch(accountSid: string, sid: string): Promise<Application>
  find(accountSid: string, sid: string): Promise<Application | undefined>
  /** Lists the account's applications, newest first; with a name, only exact matches. */
  list(
    accountSid: string,
    friendlyName: string | undefined,
    page: PageRequest,
  ): Promise<Page<Application>>
  update(accountSid: string, sid: string, change: ApplicationChange): Promise<Application>
  /** Deletes an application and removes it from the numbers that use it. */
  remove(accountSid: string, sid: string): Promise<void>
}

const DEFAULTS: ApplicationSettings = {
  ...NO_WEBHOOKS,
  friendlyName: '',
  statusCallbackEvents: [],
  messageStatusCallback: undefined,
}

export function createApplications(deps: {
  readonly db: Database
  readonly clock: Clock
}): Applications {
  const { db, clock } = deps
  return {
    create: async (accountSid, settings) => {
      const now = clock.now()
      const application: Application = {
        ...changedSettings(DEFAULTS, settings, DEFAULTS),
        sid: newSid('AP'),
        accountSid,
        createdAt: now,
        updatedAt: now,
      }
      checkFallbacks(application)
      await db.write((tx) => tx.insertInto('applications').values(toRow(application)).execute())
      return application
    },
    fetch: (accountSid, sid) => fetchApplication(db.read, accountSid, sid),
    find: (accountSid, sid) => findApplication(db.read, accountSid, sid),
    list: async (accountSid, friendlyName, request) => {
      let matching = db.read
        .selectFrom('applications')
        .selectAll()
        .where('accountSid', '=', accountSid)
      if (friendlyName !== undefined) matching = matching.where('friendlyName', '=', friendlyName)
      const page = await listNewestFirst({ read: db.read, matching }, request)
      return { ...page, items: page.items.map(toApplication) }
    },
    update: (accountSid, sid, change) => {
      const updatedAt = clock.now()
      return db.write(async (tx) => {
        const current = await fetchApplication(tx, accountSid, sid)
        const changed = { ...current, ...changedSettings(current, change, DEFAULTS), updatedAt }
        checkFallbacks(changed)
        await tx
          .updateTable('applications')
          .set(toRow(changed))
          .where('sid', '=', current.sid)
          .execute()
        return changed
      })
    },
    remove: async (accountSid, text) => {
      await db.write(async (tx) => {
        const { sid } = await fetchApplication(tx, accountSid, text)
        for (const column of ['voiceApplicationSid', 'smsApplicationSid'] as const)
          await tx
            .updateTable('number_bindings')
            .set({ [column]: null })
            .where(column, '=', sid)
            .execute()
        await tx.deleteFrom('applications').where('sid', '=', sid).execute()
      })
    },
  }
}

async function fetchApplication(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<Application> {
  const application = await findApplication(read, accountSid, sid)
  if (application === undefined)
    throw new ApplicationNotFoundError(`there is no application ${sid}`)
  return application
}

export async function findApplication(
  read: Reader,
  accountSid: string,
  sid: string,
): Promise<Application | undefined> {
  const row = await read
    .selectFrom('applications')
    .selectAll()
    .where('sid', '=', parseSid('AP', sid) ?? '')
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  return row && toApplication(row)
}

function toRow(application: Application): Written<ApplicationsTable> {
  const { statusCallbackEvents: events } = application
  return columnsOf(application, {
    ...webhookColumns(application),
    statusCallbackEvents: events.length === 0 ? null : events.join(','),
    messageStatusCallback: urlAtRest(application.messageStatusCallback),
  })
}

function toApplication(row: Selectable<ApplicationsTable>): Application {
  return fieldsOf(row, {
    voiceCallerIdLookup: row.voiceCallerIdLookup === 1,
    // Only known events are stored.
    statusCallbackEvents: (row.statusCallbackEvents?.split(',') ?? []) as StatusEvent[],
  })
}
