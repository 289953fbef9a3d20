import { describe, expect, it } from 'vitest'
import { formatIdentity, readIdentities } from '../../../../src/voice/stir/identity-header.js'

describe('the Identity header', () => {
  it.each([
    ['as ATIS-1000074 writes it', 'a.b.c;info=<https://x.example/a,b.pem>;alg=ES256;ppt=shaken'],
    ['as RFC 8224 quotes it', 'a.b.c; info=<https://x.example/a,b.pem>; ppt="shaken"'],
  ])('%s names the token, its certificate and its extension', (_title, header) => {
    expect(readIdentities(header)).toEqual([
      {
        text: header,
        token: 'a.b.c',
        certificateUrl: 'https://x.example/a,b.pem',
        extension: 'shaken',
      },
    ])
  })

  it('of several values is a list', () => {
    const list =
      'a.b.c;info=<https://x.example/1>;ppt=shaken, d.e.f;info=<https://x.example/2>;ppt=div'
    expect(readIdentities(list).map(({ token, extension }) => [token, extension])).toEqual([
      ['a.b.c', 'shaken'],
      ['d.e.f', 'div'],
    ])
  })

  it('that is none has no certificate', () => {
    expect(readIdentities('hello')).toMatchObject([{ token: 'hello', certificateUrl: undefined }])
    expect(readIdentities('')).toEqual([])
  })

  it('is read as it is written', () => {
    const [identity] = readIdentities(formatIdentity('a.b.c', 'https://x.example/c.pem', 'shaken'))
    expect(identity).toMatchObject({
      token: 'a.b.c',
      certificateUrl: 'https://x.example/c.pem',
      extension: 'shaken',
    })
  })
})
