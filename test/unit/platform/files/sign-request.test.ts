import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  EMPTY_BODY_HASH,
  escapeSegment,
  signedHeaders,
} from '../../../../src/platform/files/sign-request.js'

/** The key, time and results of the protocol's own documented examples. */
const KEY = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const AT = Date.UTC(2013, 4, 24)
const HOST = 'https://examplebucket.s3.amazonaws.com'

const signature = (request: Parameters<typeof signedHeaders>[0]) =>
  /Signature=(\w+)/.exec(signedHeaders(request, KEY, AT)['authorization'] ?? '')?.[1]

describe('a signature of version 4', () => {
  it.each([
    [
      'of a GET with a range',
      {
        method: 'GET',
        url: new URL(`${HOST}/test.txt`),
        headers: { range: 'bytes=0-9' },
        bodyHash: EMPTY_BODY_HASH,
      },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'of a PUT whose key is escaped',
      {
        method: 'PUT',
        url: new URL(`${HOST}/${escapeSegment('test$file.text')}`),
        headers: {
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        },
        bodyHash: createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'of a query without a value',
      { method: 'GET', url: new URL(`${HOST}/?lifecycle`), headers: {}, bodyHash: EMPTY_BODY_HASH },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'of a query',
      {
        method: 'GET',
        url: new URL(`${HOST}/?max-keys=2&prefix=J`),
        headers: {},
        bodyHash: EMPTY_BODY_HASH,
      },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('%s is the documented one', (_title, request, expected) => {
    expect(signature(request)).toBe(expected)
  })
})
