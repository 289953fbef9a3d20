/** Valid request bodies; each test changes one field. */

const address = {
  street: '123 Main Street',
  city: 'Austin',
  state: 'TX',
  postalCode: '78701',
  country: 'US',
}

export const privateBrand = {
  entityType: 'PRIVATE_PROFIT',
  displayName: 'Acme',
  companyName: 'Acme Incorporated',
  ein: '123456789',
  phone: '+12025550143',
  ...address,
  email: 'support@acme.example',
  website: 'https://www.acme.example',
  brandRelationship: 'SMALL_ACCOUNT',
  vertical: 'RETAIL',
}

export const publicBrand = {
  ...privateBrand,
  entityType: 'PUBLIC_PROFIT',
  companyName: 'Example Telephone Corporation',
  stockSymbol: 'EXTC',
  stockExchange: 'NASDAQ',
  businessContactEmail: 'jane.doe@acme.example',
}

export const nonProfitBrand = {
  ...privateBrand,
  entityType: 'NON_PROFIT',
  companyName: 'Helping Hands',
  vertical: 'NGO',
  optionalAttributes: { taxExemptStatus: { value: '501c3' } },
}

export const governmentBrand = {
  ...privateBrand,
  entityType: 'GOVERNMENT',
  companyName: 'City of Austin',
  vertical: 'GOVERNMENT',
}

export const soleProprietor = {
  entityType: 'SOLE_PROPRIETOR',
  displayName: 'Jane Doe Crafts',
  firstName: 'Jane',
  lastName: 'Doe',
  phone: '+12025550143',
  mobilePhone: '+12025550144',
  ...address,
  email: 'jane@crafts.example',
  brandRelationship: 'BASIC_ACCOUNT',
}

export const brands = {
  PRIVATE_PROFIT: privateBrand,
  PUBLIC_PROFIT: publicBrand,
  NON_PROFIT: nonProfitBrand,
  GOVERNMENT: governmentBrand,
  SOLE_PROPRIETOR: soleProprietor,
}

export const campaign = {
  usecase: 'ACCOUNT_NOTIFICATION',
  subUsecases: [] as string[],
  resellerId: 'R000000',
  description: 'Notices about orders and accounts of customers of Acme.',
  messageFlow: 'Customers tick a box on our checkout page to receive these notices.',
  subscriberOptIn: true,
  subscriberOptOut: true,
  subscriberHelp: true,
  sample1: 'Acme: your order 123 has been shipped.',
  sample2: 'Acme: your password was changed today.',
  helpMessage: 'Acme: call 202-555-0143 for help. Reply STOP to end.',
  optinMessage: 'Acme: you are subscribed to order notices. Reply STOP to end.',
  optoutMessage: 'Acme: you are unsubscribed and get no more messages.',
}
