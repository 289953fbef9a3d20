import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.js'

const read = (text: string) => readConfig({ SMPP_URLS: text }).smscs

describe('SMPP_URLS', () => {
  it('is absent by default, and takes several', () => {
    expect(readConfig({}).smscs).toEqual([])
    expect(
      read(
        'smpp://esme:s%40c@smsc.test  smpps://b:c@[::1]:9?bind=separate&window=3&joined=sar&system_type=x&receipt_id=hex&short_codes=network',
      ),
    ).toEqual([
      {
        ...{ host: 'smsc.test', port: 2775, isSecure: false, systemId: 'esme', password: 's@c' },
        ...{ systemType: '', bind: 'transceiver', window: 10, joinedBy: 'udh', receiptId: 'any' },
        shortCodeType: undefined,
      },
      {
        ...{ host: '::1', port: 9, isSecure: true, systemId: 'b', password: 'c' },
        ...{ systemType: 'x', bind: 'separate', window: 3, joinedBy: 'sar', receiptId: 'hex' },
        shortCodeType: 3,
      },
    ])
  })

  it.each([
    ['http://esme:s3cret@smsc.test', 'must have the form smpp://SYSTEM_ID:PASSWORD@HOST:PORT'],
    ['esme:s3cret@smsc.test:2775', 'must have the form'],
    ['smpp://esme:s3cret-too@smsc.test', 'a password that is not 8 ASCII characters at most'],
    ['smpp://esme:s3cret%zz@smsc.test', 'write %25 for it'],
    [`smpp://${'e'.repeat(16)}:s3cret@smsc.test`, 'a system id that is not 15'],
    ['smpp://esme:s3cret@smsc.test?window=0', 'window cannot be "0"'],
    ['smpp://esme:s3cret@smsc.test?bind=both', 'bind cannot be "both"'],
    ['smpp://esme:s3cret@smsc.test?joined=no', 'joined cannot be "no"'],
    ['smpp://esme:s3cret@smsc.test?receipt_id=octal', 'receipt_id cannot be "octal"'],
    ['smpp://esme:s3cret@smsc.test?short_codes=yes', 'short_codes cannot be "yes"'],
    ['smpp://esme:s3cret@smsc.test?windows=3', 'unknown parameter windows'],
  ])('%s is refused, and its password is not shown', (text, problem) => {
    expect(() => read(text)).toThrow(/^SMPP_URLS: /)
    expect(() => read(text)).toThrow(problem)
    expect(() => read(text)).not.toThrow(/s3cret/)
  })
})
