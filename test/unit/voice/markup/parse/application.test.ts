import { expect, it } from 'vitest'
import { verbOf } from './support.js'

const SID = `AP${'0'.repeat(32)}`
const nounOf = (attributes: string, children: string) => {
  const noun = `<Application ${attributes}>${children}</Application>`
  const { verb, codes } = verbOf('dial', `<Dial>${noun}</Dial>`)
  return { noun: verb.nouns[0], codes }
}

it('is named by its sid, as text or as a child', () => {
  const plain = {
    type: 'application',
    sid: SID,
    customerId: undefined,
    copyParentTo: false,
    statusCallback: undefined,
    parameters: [],
  }
  expect(nounOf('', ` ${SID}\n`)).toMatchObject({ noun: plain, codes: [] })
  expect(nounOf('', `<ApplicationSid> ${SID} </ApplicationSid>`)).toMatchObject({
    noun: plain,
    codes: [],
  })
  expect(nounOf('', '')).toMatchObject({ noun: { sid: '' } })
})

it('has parameters and a callback', () => {
  const attributes =
    'customerId="a b" copyParentTo="true" statusCallback="/s" statusCallbackMethod="GET" statusCallbackEvent="ringing answered"'
  const children = `<ApplicationSid>${SID}</ApplicationSid><Parameter name="a" value="1"/><Parameter name="b"/>`
  expect(nounOf(attributes, children)).toMatchObject({
    noun: {
      customerId: 'a b',
      copyParentTo: true,
      statusCallback: { url: '/s', method: 'GET', events: ['ringing', 'answered'] },
      parameters: [
        { name: 'a', value: '1' },
        { name: 'b', value: '' },
      ],
    },
    codes: [],
  })
})

it.each([
  [`customerId="${'x'.repeat(257)}"`, ''],
  ['copyParentTo="maybe"', ''],
  ['statusCallbackMethod="PUT"', ''],
  ['statusCallbackEvent="later"', ''],
  ['', '<Parameter value="1"/>'],
  ['', `<Parameter name="a" value="${'x'.repeat(500)}"/>`],
])('%s %s is a warning, and the default is used', (attributes, children) => {
  const { noun, codes } = nounOf(attributes, `<ApplicationSid>${SID}</ApplicationSid>${children}`)
  expect(noun).toMatchObject({ customerId: undefined, copyParentTo: false, parameters: [] })
  expect(codes).toEqual([12200])
})

it('is alone in its Dial', () => {
  const { verb, codes } = verbOf(
    'dial',
    `<Dial><Application>${SID}</Application><Number>+15551112222</Number></Dial>`,
  )
  expect(verb.nouns.map(({ type }) => type)).toEqual(['application'])
  expect(codes).toEqual([13000])
})
