import { join } from 'node:path'
import type { Core } from '../core.js'
import { type Attachments, createAttachments } from './attachments.js'
import { type Brands, createBrands } from './brands.js'
import { type Csps, createCsps } from './csps.js'

export interface Services {
  readonly csps: Csps
  readonly brands: Brands
  readonly attachments: Attachments
}

export function createServices(core: Core, deps: { readonly folder: string }): Services {
  return {
    csps: createCsps(core),
    brands: createBrands(core),
    attachments: createAttachments(core, join(deps.folder, 'attachments')),
  }
}
