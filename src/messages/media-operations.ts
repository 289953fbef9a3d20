/** The media URLs in webhooks, which redirect to the file. */
import { z } from '@hono/zod-openapi'
import type { Api } from '../platform/api/api.js'
import { openGate } from '../platform/api/api.js'
import { DeadLinkError, linkDialect } from '../platform/api/dead-link.js'
import { operationsOf } from '../platform/api/operation.js'
import type { Logger } from '../platform/log.js'
import { MEDIA_PATH } from './media/media-links.js'
import type { Messages } from './messages.js'

const REDIRECT = {
  mediaTypes: [],
  description: 'A redirect to the file, which has its own media type.',
}

/** Redirects to the file, which needs no credentials. */
export function mediaRedirect(location: string): Response {
  const headers = { location, 'cache-control': 'private, no-store' }
  return new Response(null, { status: 307, headers })
}

export function messageMediaApi(messages: Pick<Messages, 'followLink'>, log: Logger): Api<unknown> {
  return {
    base: MEDIA_PATH,
    tag: 'Files',
    dialect: linkDialect,
    gate: openGate,
    operations: [
      operationsOf<unknown>()({
        id: 'followMessageMedia',
        summary: 'Download a media of a message by the URL that its webhook had',
        method: 'get',
        path: '/{Proof}/{MediaSid}',
        isOpen: true,
        status: 307,
        response: REDIRECT,
        errors: [404],
        run: async ({ params: { Proof, MediaSid } }) => {
          const location = await messages.followLink(Proof, MediaSid)
          if (location === undefined) throw new DeadLinkError('a dead link')
          return mediaRedirect(location)
        },
      }),
    ],
    params: {
      Proof: z.string().openapi({ description: 'The proof of the link, as the URL has it.' }),
      MediaSid: z.string().openapi({ description: 'The sid of the media.' }),
    },
    errors: [503],
    hidesPaths: false,
    log,
  }
}
