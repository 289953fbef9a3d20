import type { Tables } from '../data/tables.js'
import { type Finding, scoreBrand } from '../rules/score-brand.js'
import type { FeedbackCategory } from '../storage/brands.js'
import type { RegistryProvider } from './registry-provider.js'

/** The default provider: rules decide immediately and give their reasons. */
export function createEmbeddedRegistry(tables: Tables): RegistryProvider {
  return {
    upstream: undefined,
    scoreBrand: (brand) => {
      // A one-time password, not a database, verifies a person without a tax ID.
      if (brand.details.entityType === 'SOLE_PROPRIETOR') {
        return Promise.resolve({
          type: 'scored',
          identityStatus: 'SELF_DECLARED',
          universalEin: undefined,
          feedback: [],
          explanation: ['sole proprietors are verified by a one-time password'],
        })
      }
      const { identityStatus, universalEin, findings } = scoreBrand(brand.details, tables)
      return Promise.resolve({
        type: 'scored',
        identityStatus,
        universalEin,
        feedback: feedbackOf(findings, tables),
        explanation:
          findings.length === 0
            ? ['tax ID, address, entity and web domain agree']
            : findings.map(({ code, reason }) => `${code}: ${reason}`),
      })
    },
  }
}

function feedbackOf(findings: readonly Finding[], tables: Tables): FeedbackCategory[] {
  const categoryOf = ({ code }: Finding) => tables.feedbackCodes[code]?.category ?? 'TAX_ID'
  const categories = [...new Set(findings.map(categoryOf))]
  const byCategory = categories.map(
    (id) => [id, findings.filter((finding) => categoryOf(finding) === id)] as const,
  )
  return byCategory.map(([id, found]) => ({
    id,
    displayName: tables.feedbackCategories[id]?.displayName ?? id,
    description: tables.feedbackCategories[id]?.description ?? '',
    fields: [...new Set(found.flatMap(({ code }) => tables.feedbackCodes[code]?.fields ?? []))],
    errors: found.map(({ code, reason }) => ({
      code,
      message: `${tables.feedbackCodes[code]?.message ?? code}: ${reason}`,
    })),
  }))
}
