import type { Core } from '../../model/core.js'
import { refuse } from '../../model/registry-error.js'
import { tagKey, tagName } from '../../rules/tag.js'
import { findBrand } from '../../storage/brands.js'
import { findCampaign } from '../../storage/campaigns.js'
import {
  deleteTag,
  insertTag,
  listTags,
  type Tag,
  type TagFilter,
  tagsOf,
} from '../../storage/tags.js'

export interface Tags {
  /**
   * Tags a record. RegistryError 531 when the record does not exist, 530 over the limit. Repeating
   * has no effect.
   */
  create(cspId: string, tag: Tag): Promise<Tag>
  /** Removes a tag; RegistryError 502 when there is none. */
  remove(cspId: string, tag: Tag): Promise<void>
  list(
    cspId: string,
    filter: TagFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: Tag[]; total: number }>
}

export function createTags(core: Core): Tags {
  const { db } = core
  return {
    create: (cspId, wanted) =>
      db.write(async (tx) => {
        const name = tagName(wanted.name)
        if (name === undefined)
          throw refuse(501, ['name'], '1 to 50 characters, no punctuation and no spaces')
        const { recordType, recordId } = wanted
        const record =
          recordType === 'BRAND' ? await findBrand(tx, recordId) : await findCampaign(tx, recordId)
        if (record?.cspId !== cspId || record.status !== 'ACTIVE')
          throw refuse(531, ['recordId'], `there is no ${recordType} ${recordId} to tag`)
        const names = (await tagsOf(tx, recordType, [recordId])).get(recordId) ?? []
        const max = core.tables.limits.maxTagsPerBrand
        if (recordType === 'BRAND' && !names.includes(name) && names.length >= max)
          throw refuse(530, ['recordId'], `at most ${max} tags on a brand`)
        const tag = { name, recordType, recordId }
        await insertTag(tx, cspId, tag)
        return tag
      }),
    remove: (cspId, tag) =>
      db.write(async (tx) => {
        if (!(await deleteTag(tx, cspId, { ...tag, name: tagKey(tag.name) })))
          throw refuse(502, ['name'], 'there is no such tag')
      }),
    list: (cspId, filter, page) => listTags(db.read, cspId, filter, page),
  }
}
