/** The operator's inventory of numbers: import from CSV, list, delete. */
import { z } from '@hono/zod-openapi'
import type { Inventory, StockedNumber } from '../numbers/inventory.js'
import { COLUMNS } from '../numbers/inventory-imports.js'
import type { CsvImports } from '../platform/csv-imports/csv-imports.js'
import { type AdminOperation, operation } from './admin-operation.js'
import { csvImportOperations } from './csv-import-operations.js'
import { notFound } from './private-dialect.js'

export interface InventoryDeps {
  readonly inventory: Inventory
  readonly imports: CsvImports
}

export const INVENTORY_IMPORTS = '/inventory/imports'
const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100
const E164_PREFIX = /^\+[0-9]{0,15}$/

const text = (description: string) => z.string().optional().openapi({ description })
const flag = (description: string) => z.boolean().openapi({ description })

const stockedResource = z
  .object({
    number: z.string().openapi({ description: 'The number in E.164.' }),
    type: z.enum(['local', 'toll-free', 'mobile']),
    country: z.string().openapi({ description: 'The ISO code of its country.' }),
    region: text('Its state or province.'),
    locality: text('Its city.'),
    postalCode: text('Its postal code.'),
    rateCenter: text('Its rate centre.'),
    lata: text('Its local access and transport area.'),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
    voice: flag('Whether it takes calls.'),
    sms: flag('Whether it takes text messages.'),
    mms: flag('Whether it takes messages with media.'),
    fax: flag('Whether it takes faxes.'),
    heldBy: text('The account that holds it.'),
  })
  .openapi('StockedNumber')

const listQuery = z.strictObject({
  prefix: z
    .string()
    .regex(E164_PREFIX, 'must be the beginning of a number: +1415')
    .optional()
    .openapi({ description: 'Only numbers that begin so: %2B1415.' }),
  country: z
    .string()
    .length(2)
    .optional()
    .openapi({ description: 'Only numbers of this country.' }),
  held: z
    .enum(['true', 'false'])
    .optional()
    .openapi({ description: 'Only numbers that an account holds, or that none holds.' }),
  after: z
    .string()
    .regex(E164_PREFIX, 'must be a number')
    .optional()
    .openapi({ description: 'Only numbers after this one: the `next` of the page before.' }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .openapi({ description: `How many numbers a page has: up to ${MAX_LIMIT}.` }),
})

export function inventoryOperations(deps: InventoryDeps): AdminOperation[] {
  return [...importOperations(deps.imports), ...stockOperations(deps.inventory)]
}

function importOperations(imports: CsvImports): AdminOperation[] {
  return csvImportOperations({
    path: INVENTORY_IMPORTS,
    name: 'Inventory',
    summary: 'Import numbers from CSV, up to 1 GB',
    description: `The first line names the columns: ${COLUMNS.join(', ')}. Only \`number\` is needed. Rows are stored as they come; a number that is there already gets the new row.`,
    imports,
  })
}

function stockOperations(inventory: Inventory): AdminOperation[] {
  return [
    operation({
      id: 'listInventory',
      summary: 'List the numbers of the inventory, in their order',
      method: 'get',
      path: '/inventory',
      query: listQuery,
      response: z.object({
        numbers: z.array(stockedResource),
        next: z
          .string()
          .nullable()
          .openapi({ description: 'The `after` of the next page; null on the last one.' }),
      }),
      run: async ({ query: { prefix, country, held, after, limit } }) => {
        const filter = {
          prefix,
          country: country?.toUpperCase(),
          isHeld: held === undefined ? undefined : held === 'true',
        }
        const found = await inventory.list(filter, { limit: limit + 1, after })
        const shown = found.slice(0, limit)
        const next = found.length > limit ? (shown.at(-1)?.e164 ?? null) : null
        return { numbers: shown.map(stockedToWire), next }
      },
    }),
    operation({
      id: 'addSyntheticInventory',
      summary: 'Add synthetic numbers: 555-0100 to 555-0199 of 41 area codes',
      description: 'For trying things out. A number that is there already stays as it is.',
      method: 'post',
      path: '/inventory/synthetic',
      response: z.object({
        added: z.number().int().openapi({ description: 'How many numbers were new.' }),
      }),
      run: async () => ({ added: await inventory.addSynthetic() }),
    }),
    operation({
      id: 'deleteInventoryNumber',
      summary: 'Delete a number from the inventory; an account that holds it keeps it',
      method: 'delete',
      path: '/inventory/{number}',
      params: { number: z.string().openapi({ description: 'The number in E.164.' }) },
      errors: [404],
      run: async ({ params: { number } }) => {
        if (number.includes('\0') || !(await inventory.remove(number))) throw notFound()
      },
    }),
  ]
}

function stockedToWire(number: StockedNumber): z.infer<typeof stockedResource> {
  return {
    number: number.e164,
    type: number.kind,
    country: number.country,
    region: number.region,
    locality: number.locality,
    postalCode: number.postalCode,
    rateCenter: number.rateCenter,
    lata: number.lata,
    latitude: number.place?.latitude,
    longitude: number.place?.longitude,
    voice: number.capabilities.voice,
    sms: number.capabilities.sms,
    mms: number.capabilities.mms,
    fax: number.capabilities.fax,
    heldBy: number.heldBy,
  }
}
