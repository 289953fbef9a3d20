/** The downloads behind the links of a folder store. */
import { Readable } from 'node:stream'
import type { Api } from '../api/api.js'
import { openGate } from '../api/api.js'
import { DeadLinkError, linkDialect } from '../api/dead-link.js'
import { operationsOf } from '../api/operation.js'
import type { Logger } from '../log.js'
import { FILES_PATH, type FileLinks } from './file-links.js'
import type { FolderStore } from './folder-store.js'

export function filesApi(store: FolderStore, links: FileLinks, log: Logger): Api<unknown> {
  return {
    base: FILES_PATH,
    tag: 'Files',
    dialect: linkDialect,
    gate: openGate,
    operations: [
      operationsOf<unknown>()({
        id: 'downloadFile',
        summary: 'Download a file by a link that expires',
        method: 'get',
        path: '/{Link}',
        isOpen: true,
        response: {
          mediaTypes: ['application/octet-stream'],
          description: 'The file, with its own media type.',
        },
        errors: [404],
        run: async ({ params: { Link }, http }) => {
          const linked = links.read(Link)
          const file = linked === undefined ? undefined : await store.open(linked.name)
          if (linked === undefined || file === undefined) throw new DeadLinkError('a dead link')
          const headers = {
            'content-type': linked.mimeType,
            'content-length': String(file.bytes),
            'content-disposition': `attachment; filename="${linked.fileName}"`,
            'cache-control': 'private, no-store',
          }
          if (http.method === 'HEAD') return new Response(null, { headers })
          // Node's own type of the same stream.
          return new Response(Readable.toWeb(file.read()) as ReadableStream, { headers })
        },
      }),
    ],
    params: {},
    errors: [],
    hidesPaths: false,
    log,
  }
}
