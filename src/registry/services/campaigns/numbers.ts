import type { Reader, Writer } from '../../../platform/database/database.js'
import { AdapterError } from '../../../platform/errors.js'
import type { Tables } from '../../data/tables.js'
import type { Core } from '../../model/core.js'
import type { CampaignNumbers, NumberSource } from '../../model/ports.js'
import { refuse } from '../../model/registry-error.js'
import { demand } from '../../rules/outages.js'
import { type Campaign, findCampaign } from '../../storage/campaigns.js'
import { findCspOfAccount } from '../../storage/csps.js'
import {
  currentNumbersOf,
  findCurrentNumber,
  listNumbers,
  moveNumber,
  releaseNumber,
} from '../../storage/numbers.js'

/** The default number source: every number belongs to the account. */
export const anyNumber: NumberSource = { mayProvision: () => Promise.resolve(true) }

export function createCampaignNumbers(
  core: Core,
  source: NumberSource,
  cspIdOf: (accountSid: string) => Promise<string | undefined>,
): CampaignNumbers {
  const { db } = core
  return {
    refuseDead: async (read, accountSid, campaignId) => {
      await liveCampaign(read, (await findCspOfAccount(read, accountSid))?.cspId, campaignId)
    },
    provision: async (accountSid, campaignId, e164) => {
      const cspId = await cspIdOf(accountSid)
      if (!/^\+[1-9]\d{4,14}$/.test(e164)) throw refuse(501, ['phoneNumber'], 'not an E.164 number')
      demand(core, 'NUMBER_REGISTRY')
      await db.write(async (tx) => {
        // In the same transaction: a number released in between would stay under the campaign.
        if (!(await isTheirs(source, tx, accountSid, e164)))
          throw refuse(502, ['phoneNumber'], `${e164} is not a number of this account`)
        await provision(core, tx, { cspId, campaignId, e164 })
      })
    },
    provisionIn: async (tx, accountSid, campaignId, e164) => {
      demand(core, 'NUMBER_REGISTRY')
      const cspId = (await findCspOfAccount(tx, accountSid))?.cspId
      await provision(core, tx, { cspId, campaignId, e164 })
    },
    release: async (accountSid, e164) => {
      const cspId = await cspIdOf(accountSid)
      await db.write((tx) => release(tx, cspId, e164))
    },
    list: (campaignId, current, page) => listNumbers(db.read, campaignId, current, page),
  }
}

async function isTheirs(
  source: NumberSource,
  tx: Reader,
  accountSid: string,
  e164: string,
): Promise<boolean> {
  try {
    return await source.mayProvision(tx, accountSid, e164)
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error
    throw refuse(630, ['phoneNumber'], 'whose number it is cannot be said now, try again later')
  }
}

async function provision(
  core: Core,
  tx: Writer,
  wanted: {
    readonly cspId: string | undefined
    readonly campaignId: string
    readonly e164: string
  },
): Promise<void> {
  const { cspId, campaignId, e164 } = wanted
  const campaign = await campaignForNumbers(tx, cspId, campaignId)
  const max = maxNumbers(campaign, core.tables)
  const present = await currentNumbersOf(tx, campaignId)
  if (present.includes(e164)) return
  if (present.length >= max)
    throw refuse(592, ['numberPool'], `the campaign has at most ${max} numbers`)
  await moveNumber(tx, {
    campaignId,
    phoneNumber: e164,
    nnid: core.tables.operators.nnid,
    provisionedAt: core.clock.now(),
  })
}

async function campaignForNumbers(
  tx: Writer,
  cspId: string | undefined,
  campaignId: string,
): Promise<Campaign> {
  const campaign = await liveCampaign(tx, cspId, campaignId)
  if (Object.keys(campaign.dcaByMno).length === 0)
    throw refuse(592, ['campaignId'], 'no aggregator carries the campaign yet')
  return campaign
}

async function liveCampaign(
  read: Reader,
  cspId: string | undefined,
  campaignId: string,
): Promise<Campaign> {
  const campaign = await findCampaign(read, campaignId)
  if (campaign === undefined || campaign.cspId !== cspId)
    throw refuse(502, ['campaignId'], `there is no campaign ${campaignId}`)
  if (campaign.status === 'EXPIRED') throw refuse(518, ['campaignId'], 'the campaign has expired')
  if (campaign.isMock) throw refuse(536, ['campaignId'], 'mock campaigns have no numbers')
  return campaign
}

function maxNumbers({ details }: Campaign, { limits }: Tables): number {
  if (details.usecase === 'SOLE_PROPRIETOR') return limits.maxSoleProprietorNumbers
  return details.numberPool ? Infinity : limits.maxNumbersWithoutPool
}

async function release(tx: Writer, cspId: string | undefined, e164: string): Promise<void> {
  const found = await findCurrentNumber(tx, e164)
  if (found?.cspId !== cspId || found === undefined)
    throw refuse(502, ['phoneNumber'], `${e164} is under no campaign`)
  await releaseNumber(tx, found.id)
}
