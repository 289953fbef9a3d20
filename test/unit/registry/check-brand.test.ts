import { describe, expect, it } from 'vitest'
import { loadTables } from '../../../src/registry/data/tables.js'
import type { BrandDetails } from '../../../src/registry/rules/brand.js'
import { checkBrand, REQUIRED_FIELDS } from '../../../src/registry/rules/check-brand.js'
import {
  brands,
  privateBrand,
  publicBrand,
  soleProprietor,
} from '../../support/registry/registry-samples.js'

const tables = loadTables()
const codes = (brand: object) =>
  checkBrand(brand as BrandDetails, tables).map(({ code, fields }) => [code, ...fields])

const required = Object.entries(REQUIRED_FIELDS).flatMap(([type, fields]) =>
  fields.map((field) => [type as keyof typeof brands, field] as const),
)

describe('what a brand must have', () => {
  it.each(required)('%s without %s', (type, field) => {
    const { [field as 'phone']: _, ...rest } = { ...brands[type] }
    const without = ['phone', 'email', 'country'].includes(field) ? { ...rest, [field]: '' } : rest
    expect(codes(without)).toContainEqual([501, field])
  })

  it.each<[string, object, (string | number)[]]>([
    ['a phone that is none', { ...privateBrand, phone: '12345' }, [551, 'phone']],
    ['a mobile phone that is none', { ...soleProprietor, mobilePhone: '+1' }, [551, 'mobilePhone']],
    ...['our site', 'acme', 'ftp://acme.example', 'https://', 'http://10.0.0.1:0'].map<
      [string, object, (string | number)[]]
    >((website) => [
      `a website that is none (${website})`,
      { ...privateBrand, website },
      [501, 'website'],
    ]),
    ['disposable mail', { ...privateBrand, email: 'a@mailinator.com' }, [553, 'email']],
    [
      'a free-mail business contact',
      { ...publicBrand, businessContactEmail: 'jane@gmail.com' },
      [553, 'businessContactEmail'],
    ],
    [
      'a distribution list as business contact',
      { ...publicBrand, businessContactEmail: 'info@acme.example' },
      [553, 'businessContactEmail'],
    ],
    ...['trbvm.com', 'yopmail.net', 'mx.yopmail.fr', 'tempmail.com'].map<
      [string, object, (string | number)[]]
    >((domain) => [
      `mail at a disposable service (${domain})`,
      { ...privateBrand, email: `a@${domain}` },
      [553, 'email'],
    ]),
    ...[
      'jane@hotmail.co.uk',
      'jane@Yahoo.co.jp',
      'jane@outlook.de',
      'jane@gmx.at',
      'jane@seznam.cz',
      'jane@docomo.ne.jp',
      'jane@wp.pl',
      'jane@tuta.com',
      'jane@keemail.me',
    ].map<[string, object, (string | number)[]]>((businessContactEmail) => [
      `a free-mail business contact of another country (${businessContactEmail})`,
      { ...publicBrand, businessContactEmail },
      [553, 'businessContactEmail'],
    ]),
    [
      'a business contact at a disposable service, with one reason',
      { ...publicBrand, businessContactEmail: 'jane@mailinator.com' },
      [553, 'businessContactEmail'],
    ],
    ...[
      'noc',
      'security',
      'usenet',
      'legal',
      'customer-service',
      'customer.service',
      'No_Reply',
      'help.desk+us',
      'investor.relations',
      'ir',
      'human-resources',
    ].map<[string, object, (string | number)[]]>((role) => [
      `the address of a role as business contact (${role})`,
      { ...publicBrand, businessContactEmail: `${role}@acme.example` },
      [553, 'businessContactEmail'],
    ]),
    ['a state that is none', { ...privateBrand, state: 'XX' }, [554, 'state']],
    ['a zip of 4 digits', { ...privateBrand, postalCode: '7870' }, [554, 'postalCode']],
    [
      'a person whose zip is elsewhere',
      { ...soleProprietor, postalCode: '10001' },
      [554, 'state', 'postalCode'],
    ],
    ['military post', { ...privateBrand, city: 'APO' }, [555, 'city']],
    ['invisible characters', { ...privateBrand, displayName: 'Ac\u200bme' }, [556, 'displayName']],
    ['Cyrillic among Latin', { ...privateBrand, companyName: 'Аcme' }, [556, 'companyName']],
    ['a country that is not allowed', { ...privateBrand, country: 'KP' }, [529, 'country']],
    [
      'a foreign government',
      { ...brands.GOVERNMENT, country: 'CA' },
      [501, 'entityType', 'country'],
    ],
    ['a tax ID of 8 digits', { ...privateBrand, ein: '12345678' }, [501, 'ein']],
    ['an unknown vertical', { ...privateBrand, vertical: 'FUN' }, [501, 'vertical']],
    [
      'an unknown relationship',
      { ...privateBrand, brandRelationship: 'X' },
      [501, 'brandRelationship'],
    ],
    ['an unknown exchange', { ...publicBrand, stockExchange: 'X' }, [501, 'stockExchange']],
    [
      'an unknown attribute',
      { ...privateBrand, optionalAttributes: { x: {} } },
      [501, 'optionalAttributes'],
    ],
    [
      'an attribute with the name of a part of every object',
      { ...privateBrand, optionalAttributes: { constructor: {} } },
      [501, 'optionalAttributes'],
    ],
    ...[
      { governmentEntity: { value: 'yes' } },
      { russell3000: { value: 1 } },
      { russell3000: { name: [true] } },
      { taxExemptStatus: { value: 501 } },
      { politicalCommitteeLocale: { value: { federal: true } } },
    ].map<[string, object, (string | number)[]]>((optionalAttributes) => [
      `an attribute of another type (${JSON.stringify(optionalAttributes)})`,
      { ...privateBrand, optionalAttributes },
      [501, 'optionalAttributes'],
    ]),
  ])('%s', (_title, brand, expected) => {
    expect(codes(brand)).toEqual([expected])
  })
})

it.each([
  'support@keemail.me',
  'support@acme.net.ua',
  'support@xn--mller-kva.example',
])('takes mail at a service that gives away no throw-away addresses (%s)', (email) => {
  expect(codes({ ...privateBrand, email })).toEqual([])
})

it('takes a business contact below a name that lists name as a free-mail service', () => {
  expect(codes({ ...publicBrand, businessContactEmail: 'jane@acme.net.ua' })).toEqual([])
})

it('takes mail at a domain that the operator allows against the lists', () => {
  const { mailDomains } = tables
  const allowing = {
    ...tables,
    mailDomains: { ...mailDomains, allowed: ['seznam.cz', 'trbvm.com'] },
  }
  const brand = { ...publicBrand, email: 'a@trbvm.com', businessContactEmail: 'jane@seznam.cz' }
  expect(checkBrand(brand as BrandDetails, allowing)).toEqual([])
})

it.each([
  {},
  { russell3000: { value: false }, section527: { value: 'true' } },
  { russell3000: { name: 'false' }, taxExemptStatus: { name: '501c3' } },
  { taxExemptStatus: { value: '' }, russell3000: { value: '' }, section527: {} },
])('takes the attributes %j', (optionalAttributes) => {
  expect(codes({ ...privateBrand, optionalAttributes })).toEqual([])
})
