import { listsOf } from '../../../platform/api/list-operation.js'
import { type Operation, operationsOf } from '../../../platform/api/operation.js'
import type { Upload } from '../../../platform/uploads/read-upload.js'
import type { Csp } from '../../storage/csps.js'
import { registryPaging } from './registry-paging.js'

export type RegistryOperation = Operation<Csp>

/** Declares an operation that a CSP may call. */
export const operation = operationsOf<Csp, Upload>()

/** Declares an operation that answers a page of records. */
export const list = listsOf<Csp>(registryPaging)
