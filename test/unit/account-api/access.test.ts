import { describe, expect, it } from 'vitest'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'

const GOOD = ['11.0.0.0/8', '23.5.0.0/16', '8.8.8.0/24', '8.8.4.4/32']
const acl = (...cidrs: string[]) => cidrs.map((cidr) => ({ cidr }))

describe('the access list', () => {
  it('is empty at first, takes public ranges of the four masks, and gives them back', async () => {
    await using t = await accountApiFixture()
    expect((await t.rest('GET', '/acl')).body).toEqual({ status: 'success', data: { acl: [] } })
    const added = await t.rest('POST', '/acl', { acl: acl(...GOOD) })
    expect(added.status).toBe(200)
    expect(added.body).toEqual({ status: 'success', data: { added: acl(...GOOD) } })
    const listed = await t.rest('GET', '/acl')
    expect(listed.body).toMatchObject({
      data: { acl: expect.arrayContaining(acl(...GOOD)) as unknown },
    })
    const removed = await t.rest('DELETE', `/acl?cidrs=${GOOD.slice(0, 3).join(',')}`)
    expect(removed.body).toEqual({ status: 'success', data: { removed: acl(...GOOD.slice(0, 3)) } })
    const last = await t.rest('DELETE', '/acl', { acl: acl('8.8.4.4/32') })
    expect(last.body).toEqual({ status: 'success', data: { removed: acl('8.8.4.4/32') } })
    expect((await t.rest('GET', '/acl')).body).toEqual({ status: 'success', data: { acl: [] } })
  })

  it('belongs to one account', async () => {
    await using t = await accountApiFixture()
    const other = await t.another('Other')
    await t.rest('POST', '/acl', { acl: acl('8.8.8.0/24') })
    expect((await t.rest('GET', '/acl', undefined, other)).body).toMatchObject({
      data: { acl: [] },
    })
    const removed = await t.rest('DELETE', '/acl?cidrs=8.8.8.0/24', undefined, other)
    expect(removed.status).toBe(409)
  })

  it.each([
    ['a mask of another width', '8.8.8.0/25', /mask/],
    ['no mask', '8.8.8.8', /IPv4 CIDR/],
    ['a mask with a leading zero', '8.0.0.0/08', /IPv4 CIDR/],
    ['an IPv6 range', '2600::/32', /IPv4 CIDR/],
    ['an IPv6 range around IPv4', '::ffff:8.8.8.0/120', /IPv4 CIDR/],
    ['a name', 'localhost', /IPv4 CIDR/],
    ['a number that is no byte', '8.8.8.256/32', /IPv4 CIDR/],
    ['octal digits', '010.8.8.0/24', /IPv4 CIDR|only public/],
    ['an address within the range', '8.8.8.8/24', /begins at 8.8.8.0/],
    ['a private network', '10.0.0.0/8', /only public/],
    ['a private address', '192.168.1.1/32', /only public/],
    ['a range that holds a private one', '172.0.0.0/8', /only public/],
    ['a range that holds carrier-grade NAT', '100.0.0.0/8', /only public/],
    ['loopback', '127.0.0.1/32', /only public/],
    ['link-local', '169.254.0.0/16', /only public/],
    ['multicast', '224.0.0.0/8', /only public/],
    ['documentation', '203.0.113.0/24', /only public/],
    ['everything', '0.0.0.0/8', /only public/],
    ['reserved', '240.0.0.0/8', /only public/],
  ])('does not take %s', async (_title, cidr, reason) => {
    await using t = await accountApiFixture()
    const answer = await t.rest('POST', '/acl', { acl: acl(cidr) })
    expect(answer.status).toBe(409)
    const { data, error } = answer.body as {
      data: { added: unknown[]; failed: { cidr: string; reason: string }[] }
      error: { code: number; message: string }
    }
    expect(error.code).toBe(409)
    expect(error.message).toContain(cidr)
    expect(data.added).toEqual([])
    expect(data.failed.map((each) => each.cidr)).toEqual([cidr])
    expect(data.failed[0]?.reason).toMatch(reason)
  })

  it('adds and removes what it can, and names the rest', async () => {
    await using t = await accountApiFixture()
    const added = await t.rest('POST', '/acl', {
      acl: acl('8.8.8.0/24', '10.0.0.0/8', '8.8.8.0/24'),
    })
    expect(added.status).toBe(409)
    expect(added.body).toMatchObject({
      status: 'error',
      error: { code: 409 },
      data: {
        added: acl('8.8.8.0/24'),
        failed: [
          { cidr: '10.0.0.0/8' },
          { cidr: '8.8.8.0/24', reason: 'it is on the list already' },
        ],
      },
    })
    const removed = await t.rest('DELETE', '/acl?cidrs=8.8.8.0/24,9.9.9.9/32')
    expect(removed.status).toBe(409)
    expect(removed.body).toMatchObject({
      data: {
        removed: acl('8.8.8.0/24'),
        failed: [{ cidr: '9.9.9.9/32', reason: 'it is not on the list' }],
      },
    })
    expect((await t.rest('GET', '/acl')).body).toMatchObject({ data: { acl: [] } })
  })

  it.each([
    ['POST', '/acl', {}, 'Field Required: acl'],
    ['POST', '/acl', { acl: [{}] }, 'Field Required: acl.0.cidr'],
    ['POST', '/acl', { acl: [] }, /^acl: /],
    ['POST', '/acl', { acl: '8.8.8.0/24' }, /^acl: /],
    ['POST', '/acl', { acl: ['8.8.8.0/24'] }, /^acl.0: /],
    ['DELETE', '/acl', undefined, 'Field Required: cidrs'],
    ['DELETE', '/acl?cidrs=', undefined, 'Field Required: cidrs'],
  ])('%s %s %j is 400', async (method, path, body, message) => {
    await using t = await accountApiFixture()
    const answer = await t.rest(method, path, body)
    expect(answer.status).toBe(400)
    const { error } = answer.body as { error: { message: string } }
    expect(error.message).toMatch(message)
  })

  it('speaks the legacy style', async () => {
    await using t = await accountApiFixture()
    const added = await t.legacy('/acl/add/', { acl: acl('8.8.8.0/24') })
    expect(added.body).toEqual({
      statusCode: '200',
      status: 'Success',
      message: 'ACLs added',
      acl: acl('8.8.8.0/24'),
    })
    const partly = await t.legacy('/acl/add/', { acl: acl('8.8.4.0/24', '10.0.0.0/8') })
    expect(partly.status).toBe(409)
    expect(partly.body).toMatchObject({
      statusCode: '409',
      status: 'Error',
      acl_success: acl('8.8.4.0/24'),
      acl_failed: [{ cidr: '10.0.0.0/8' }],
    })
    expect((await t.legacy('/acl/list/')).body['acl']).toHaveLength(2)
    const removed = await t.legacy('/acl/remove/', { acl: acl('8.8.8.0/24') })
    expect(removed.body).toMatchObject({ message: 'ACLs removed', acl: acl('8.8.8.0/24') })
    expect((await t.legacy('/acl/add/', {})).body).toMatchObject({
      statusCode: '400',
      message: 'Field Required: acl',
    })
  })
})

describe('the authentication settings', () => {
  it('are read with their meaning and the list', async () => {
    await using t = await accountApiFixture()
    await t.rest('POST', '/acl', { acl: acl('8.8.8.0/24') })
    expect((await t.rest('GET', '/auth')).body).toEqual({
      status: 'success',
      data: { authType: 0, authTypeDescription: 'Digest only', acl: acl('8.8.8.0/24') },
    })
  })

  it.each([
    [0, 'Digest only'],
    [1, 'IP allowlist only'],
    [2, 'Digest or IP allowlist'],
    [3, 'Digest and IP allowlist'],
  ])('authType %i means %s, in both styles', async (authType, description) => {
    await using t = await accountApiFixture()
    const set = await t.rest('PUT', '/auth', { authType })
    expect(set.body).toEqual({
      status: 'success',
      data: { updated: [{ field: 'authType', value: authType }] },
    })
    expect((await t.rest('GET', '/auth')).body).toMatchObject({
      data: { authType, authTypeDescription: description },
    })
    expect((await t.legacy('/auth/list/')).body).toMatchObject({
      account: { username: t.account.profile.username, authType, instructions: description },
    })
    expect((await t.rest('GET', '/account')).body).toMatchObject({ data: { authType } })
  })

  it('keep the password of digest sealed, and never show it', async () => {
    await using t = await accountApiFixture()
    const set = await t.rest('PUT', '/auth', { password: 'secret1', authType: 2 })
    expect(set.status).toBe(200)
    expect(set.text).not.toContain('secret1')
    expect(await t.deps.sipAuthentication.passwordOf(t.account.sid)).toBe('secret1')
    const row = await t.db.read.selectFrom('accounts').selectAll().executeTakeFirst()
    expect(JSON.stringify(row)).not.toContain('secret1')
    const legacy = await t.legacy('/auth/update/', { password: 'Other22' })
    expect(legacy.body).toEqual({
      statusCode: '200',
      status: 'Success',
      update: [{ field: 'password', value: '********' }],
    })
    expect(await t.deps.sipAuthentication.passwordOf(t.account.sid)).toBe('Other22')
  })

  it.each([
    'abc12',
    'abcdefghi12',
    'abcdefgh',
    '12345678',
    'abc 123',
    'abcé123',
    '',
  ])('do not take the password %j', async (password) => {
    await using t = await accountApiFixture()
    const answer = await t.rest('PUT', '/auth', { password })
    expect(answer.status).toBe(400)
    const { error } = answer.body as { error: { message: string } }
    expect(error.message).toMatch(/^password: /)
    expect(await t.deps.sipAuthentication.passwordOf(t.account.sid)).toBeUndefined()
  })

  it.each(['abc123', 'ABCdef1234', 'a12345'])('take the password %s', async (password) => {
    await using t = await accountApiFixture()
    expect((await t.rest('PUT', '/auth', { password })).status).toBe(200)
  })

  it('set the right one of two fields, and name the other', async () => {
    await using t = await accountApiFixture()
    const answer = await t.rest('PUT', '/auth', { password: 'no', authType: 3 })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({
      status: 'error',
      data: { updated: [{ field: 'authType', value: 3 }], errors: [{ field: 'password' }] },
    })
    const legacy = await t.legacy('/auth/update/', { password: 'abc123', authType: 4 })
    expect(legacy.body).toMatchObject({
      statusCode: '409',
      update: [{ field: 'password' }],
      errors: [{ field: 'authType' }],
    })
  })

  it.each([
    {},
    { authType: 4 },
    { authType: -1 },
    { authType: '1' },
    { authType: 1.5 },
  ])('are not changed by %j', async (body) => {
    await using t = await accountApiFixture()
    expect((await t.rest('PUT', '/auth', body)).status).toBe(400)
    expect((await t.legacy('/auth/update/', body)).body['statusCode']).toBe('400')
    expect((await t.rest('GET', '/auth')).body).toMatchObject({ data: { authType: 0 } })
  })
})

describe('the registration', () => {
  it('is 404 while nothing is registered', async () => {
    await using t = await accountApiFixture()
    expect((await t.rest('GET', '/account/registration')).status).toBe(404)
    expect((await t.legacy('/account/registration/')).body).toMatchObject({
      statusCode: '404',
      status: 'Error',
    })
  })
})
