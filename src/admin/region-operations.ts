import { z } from '@hono/zod-openapi'
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import { type AdminOperation, operation } from './admin-operation.js'

const regionResource = z
  .object({
    code: z.string().openapi({ description: 'Its ISO code, as phoneRegions takes it.' }),
    name: z.string().openapi({ description: 'Its name in English.' }),
    callingCode: z.string().openapi({ description: 'What its numbers begin with: +1.' }),
  })
  .openapi('Region')

/** The operation that names the regions whose numbers an account may be limited to. */
export function regionOperations(): AdminOperation[] {
  return [
    operation({
      id: 'listRegions',
      summary: 'List the regions that phoneRegions of an account may name',
      method: 'get',
      path: '/regions',
      response: z.object({
        regions: z.array(regionResource).openapi({ description: 'In the order of their codes.' }),
      }),
      run: () => ({ regions: regions() }),
    }),
  ]
}

function regions(): z.infer<typeof regionResource>[] {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  return [...getCountries()].sort().map((code) => ({
    code,
    name: names.of(code) ?? code,
    callingCode: `+${getCountryCallingCode(code)}`,
  }))
}
