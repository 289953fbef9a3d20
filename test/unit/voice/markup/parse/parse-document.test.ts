import { describe, expect, it } from 'vitest'
import { documentOf } from './support.js'

describe('grammar', () => {
  it.each<[string, string, number[], number]>([
    ['an empty document', '', [], 0],
    ['namespaces on elements', '<Hangup xmlns:a="x" xmlns="y" xsi:b="z"/>', [], 1],
    ['a verb in lower case', '<say>Hi</say><Hangup/>', [12200], 1],
    ['a misspelled verb and all that is in it', '<Sya voic="x"><Nope/></Sya><Hangup/>', [12200], 1],
    ['an attribute in wrong case', '<Say Voice="man">Hi</Say>', [12200], 1],
    ['text between verbs', 'Hello <Hangup/>', [12200], 1],
    ['a noun as a verb', '<Number>1</Number>', [12200], 0],
    ['a wrong noun in Dial', '<Dial><Stream url="x"/></Dial>', [13215], 1],
    [
      'attributes on Refer’s Sip, which takes none',
      '<Refer><Sip username="a">sip:a@b</Sip></Refer>',
      [12200],
      1,
    ],
    ['the same on Dial’s Sip, which does', '<Dial><Sip username="a">sip:a@b</Sip></Dial>', [], 1],
    ['SSML where it may nest', '<Say><p><s>a <emphasis>b</emphasis></s></p></Say>', [], 1],
    ['SSML where it may not', '<Say><s><p>a</p></s></Say>', [12200], 1],
  ])('%s', (_title, body, codes, verbs) => {
    const document = documentOf(body)
    expect(document.warnings.map((w) => w.code)).toEqual(codes)
    expect(document.verbs).toHaveLength(verbs)
  })

  it('says what was meant when only the case is wrong', () => {
    expect(documentOf('<say>Hi</say>').warnings[0]?.message).toContain('did you mean "Say"?')
  })

  it('keeps verbs that cannot run yet as they were written', () => {
    const [verb] = documentOf('<Pay timeout="9"><Prompt/></Pay>').verbs
    expect(verb).toMatchObject({
      type: 'other',
      element: { name: 'Pay', children: [{ name: 'Prompt' }] },
    })
  })
})
