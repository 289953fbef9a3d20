import { z } from '@hono/zod-openapi'
import type { AccessLists, ListChange } from '../../accounts/access-lists.js'
import { ApiFailure } from '../dialect/api-failure.js'
import { legacy } from '../dialect/legacy-operation.js'
import { type AccountOperation, rest } from '../dialect/rest-operation.js'
import { shownText } from '../fields.js'

const MAX_CHANGED = 1_000
const MAX_CIDR = 64

const cidr = z
  .string()
  .trim()
  .min(1)
  .max(MAX_CIDR)
  .openapi({ description: 'A public IPv4 range with the mask /8, /16, /24 or /32.' })
const entry = z.object({ cidr }).openapi('AclEntry')
const acl = z.array(entry).openapi({ description: 'Entries of the list.' })
const given = (item: z.ZodType<z.output<typeof entry>>) =>
  z.array(item).min(1).max(MAX_CHANGED).openapi({ description: 'The entries.' })
const givenAcl = given(z.strictObject({ cidr }))
/** Client libraries of the legacy style may send more of an entry. */
const legacyAcl = given(entry)
const message = shownText('What was done, for a person.')

const cidrs = z
  .preprocess(
    (value) => (Array.isArray(value) ? value.join(',') : value),
    z
      .string()
      .max(MAX_CHANGED * MAX_CIDR)
      .optional(),
  )
  .openapi({ type: 'string', description: 'The entries to remove, with commas.' })

export function aclOperations(lists: AccessLists): AccountOperation[] {
  return [
    rest({
      id: 'listAcl',
      summary: 'List the addresses from which SIP requests are admitted',
      method: 'get',
      path: '/acl',
      data: z.object({ acl }),
      run: async ({ caller }) => ({ acl: entriesOf(await lists.of(caller.sid)) }),
    }),
    rest({
      id: 'addAcl',
      summary: 'Add entries to the access list',
      description: 'What can be added is; with anything else the answer is 409 and names both.',
      method: 'post',
      path: '/acl',
      row: 'Add ACL entries',
      body: z.strictObject({ acl: givenAcl }),
      data: z.object({ added: acl }),
      errors: [409],
      run: async ({ caller, body }) => {
        const change = await lists.add(caller.sid, namesOf(body.acl))
        const added = entriesOf(change.done)
        refuseFailed(change, 'not every entry was added', {
          data: { added, failed: change.failed },
        })
        return { added }
      },
    }),
    rest({
      id: 'removeAcl',
      summary: 'Remove entries from the access list',
      description: 'The entries are in `cidrs`, or in the body as for adding.',
      method: 'delete',
      path: '/acl',
      row: 'Remove ACL entries',
      query: z.object({ cidrs }),
      body: z.strictObject({ acl: givenAcl.optional() }),
      data: z.object({ removed: acl }),
      errors: [409],
      run: async ({ caller, query, body }) => {
        const change = await lists.remove(caller.sid, removedBy(query.cidrs, body.acl))
        const removed = entriesOf(change.done)
        const beside = { data: { removed, failed: change.failed } }
        refuseFailed(change, 'not every entry was removed', beside)
        return { removed }
      },
    }),
  ]
}

export function legacyAclOperations(lists: AccessLists): AccountOperation[] {
  const row = 'Add / list / remove ACL entries (legacy)'
  return [
    legacy({
      id: 'legacyAddAcl',
      summary: 'Add entries to the access list',
      path: '/acl/add/',
      row,
      body: { acl: legacyAcl },
      keys: { message, acl },
      errors: [409],
      run: async ({ caller, body }) => {
        const change = await lists.add(caller.sid, namesOf(body.acl))
        refuseFailed(change, 'Not every ACL was added', legacyFailureOf(change))
        return { message: 'ACLs added', acl: entriesOf(change.done) }
      },
    }),
    legacy({
      id: 'legacyListAcl',
      summary: 'List the addresses from which SIP requests are admitted',
      path: '/acl/list/',
      row,
      idempotency: 'none',
      keys: { message, acl },
      run: async ({ caller }) => ({
        message: 'ACL list',
        acl: entriesOf(await lists.of(caller.sid)),
      }),
    }),
    legacy({
      id: 'legacyRemoveAcl',
      summary: 'Remove entries from the access list',
      path: '/acl/remove/',
      row,
      body: { acl: legacyAcl },
      keys: { message, acl },
      errors: [409],
      run: async ({ caller, body }) => {
        const change = await lists.remove(caller.sid, namesOf(body.acl))
        refuseFailed(change, 'Not every ACL was removed', legacyFailureOf(change))
        return { message: 'ACLs removed', acl: entriesOf(change.done) }
      },
    }),
  ]
}

type Entries = readonly { readonly cidr: string }[]

function entriesOf(names: readonly string[]): { cidr: string }[] {
  return names.map((each) => ({ cidr: each }))
}

function namesOf(entries: Entries): string[] {
  return entries.map((each) => each.cidr)
}

function removedBy(query: string | undefined, body: Entries | undefined): string[] {
  const named = [...(query ?? '').split(','), ...namesOf(body ?? [])]
    .map((each) => each.trim())
    .filter((each) => each !== '')
  if (named.length === 0) throw new ApiFailure(400, 'Field Required: cidrs')
  if (named.length > MAX_CHANGED) throw new ApiFailure(400, `cidrs: at most ${MAX_CHANGED}`)
  return named
}

function legacyFailureOf({ done, failed }: ListChange) {
  return { acl_success: entriesOf(done), acl_failed: failed }
}

/** Refuses a change of which a part failed. The part that succeeded is kept, and named. */
function refuseFailed(
  { failed }: ListChange,
  sentence: string,
  beside: Readonly<Record<string, unknown>>,
): void {
  const [first] = failed
  if (first === undefined) return
  throw new ApiFailure(409, `${sentence}: ${first.cidr}: ${first.reason}`, beside)
}
