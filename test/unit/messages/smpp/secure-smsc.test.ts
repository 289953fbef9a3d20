import { expect, it } from 'vitest'
import { smppFixture, submission } from '../../../support/messages/smpp-fixture.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { makeAuthority } from '../../../support/sip/certificates.js'

it('takes messages over TLS, and reports them, from an SMSC whose certificate is known', async () => {
  using folder = tempFolder()
  const authority = await makeAuthority(folder.path)
  const { cert, key } = await authority.issue('smsc', ['IP:127.0.0.1'])
  await using t = await smppFixture({ secure: { cert, key, authority: authority.cert } })
  const message = submission()
  expect(await t.send(message)).toMatchObject({ type: 'accepted' })
  expect(t.smsc.taken).toMatchObject([{ to: message.to.slice(1) }])
  expect(t.smsc.binds[0]).toMatchObject({ systemId: 'esme', password: 'secret' })
})

it.each([
  ['another host', ['DNS:smsc.example'], true],
  ['an authority that nobody knows', ['IP:127.0.0.1'], false],
])('says nothing to an SMSC with the certificate of %s', async (_title, names, isKnown) => {
  using folder = tempFolder()
  const authority = await makeAuthority(folder.path)
  const { cert, key } = await authority.issue('smsc', names)
  const known = isKnown ? authority.cert : undefined
  await using t = await smppFixture({ secure: { cert, key, authority: known } })
  // A second connection is made once the first has failed.
  await t.smsc.dialled(2)
  expect(await t.submit(submission())).toMatchObject({ type: 'busy' })
  expect(t.smsc.binds).toEqual([])
})
