import { createHmac } from 'node:crypto'
import { isSameSecret, type Vault } from '../platform/secrets.js'

export type PortPage = 'port' | 'loa'

/** Links to the pages of a port; the key in a link is the only authorization. */
export interface PortLinks {
  urlOf(page: PortPage, pid: string): string
  isKey(page: PortPage, pid: string, key: string): boolean
}

const KEY_CHARS = 32

export function createPortLinks(vault: Pick<Vault, 'keyFor'>, publicUrl: string): PortLinks {
  const secret = vault.keyFor('pages of ports')
  const keyOf = (page: PortPage, pid: string) =>
    createHmac('sha256', secret).update(`${page}:${pid}`).digest('hex').slice(0, KEY_CHARS)
  return {
    urlOf: (page, pid) => `${publicUrl}/a/${page}/${pid}/${keyOf(page, pid)}`,
    isKey: (page, pid, key) => isSameSecret(key, keyOf(page, pid)),
  }
}
