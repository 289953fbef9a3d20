import { z } from '@hono/zod-openapi'
import type { AccessLists } from '../../accounts/access-lists.js'
import { ApiFailure, refuseFailed } from '../dialect/api-failure.js'
import { legacyOver } from '../dialect/legacy-operation.js'
import { rest, type Styles } from '../dialect/rest-operation.js'

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
/** Legacy clients may send more fields in an entry. */
const legacyAcl = given(entry)

const cidrs = z
  .preprocess(
    (value) => (Array.isArray(value) ? value.join(',') : value),
    z
      .string()
      .max(MAX_CHANGED * MAX_CIDR)
      .optional(),
  )
  .openapi({ type: 'string', description: 'The entries to remove, with commas.' })

const row = 'Add / list / remove ACL entries (legacy)'
const COMMANDS = [
  {
    id: 'legacyAddAcl',
    does: 'addAcl',
    path: '/acl/add/',
    row,
    body: { acl: legacyAcl },
    says: 'ACLs added',
    gives: { acl: 'added' },
    refuses: { acl_success: 'added', acl_failed: 'failed' },
    words: ['not every entry', 'Not every ACL'],
  },
  { id: 'legacyListAcl', does: 'listAcl', path: '/acl/list/', row, says: 'ACL list' },
  {
    id: 'legacyRemoveAcl',
    does: 'removeAcl',
    path: '/acl/remove/',
    row,
    body: { acl: legacyAcl },
    says: 'ACLs removed',
    gives: { acl: 'removed' },
    refuses: { acl_success: 'removed', acl_failed: 'failed' },
    words: ['not every entry', 'Not every ACL'],
  },
] as const

export function aclOperations(lists: AccessLists): Styles {
  const operations = [
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
        const beside = { data: { added, failed: change.failed } }
        refuseFailed('not every entry was added', change.failed, beside)
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
        refuseFailed('not every entry was removed', change.failed, beside)
        return { removed }
      },
    }),
  ]
  return { rest: operations, legacy: legacyOver(operations, ...COMMANDS) }
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
